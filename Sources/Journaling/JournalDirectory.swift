import Platform

/// A data directory that this process has to itself, whose records are not yet recovered.
package struct JournalDirectory: ~Copyable {
  let path: String
  let options: JournalOptions
  let lock: FileLock
  var manifest: ManifestFile
  var warnings: [RecoveryWarning]

  /// Opens the store in a directory, or makes one when the directory is missing or empty.
  ///
  /// Throws `.inUse`, `.notAStore`, `.missing`, `.damaged`, `.foreign`, `.incompatible`, `.outOfSpace` or `.system`.
  /// - Parameter path: its parent directory must exist.
  package static func open(_ path: String, options: JournalOptions = JournalOptions()) throws(JournalError) -> JournalDirectory {
    let exists = try reading { () throws(SystemError) in try Directory.exists(path) }
    if !exists { try create(path) }
    // Looked at before the lock file is made, so that nothing is left behind in a directory of somebody else.
    try refuseForeign(path)
    let lock = try reading { () throws(SystemError) in try FileLock.acquire("\(path)/\(FileNames.lock)") }
    guard let lock else { throw .inUse(directory: path) }
    let names = try refuseForeign(path)
    try removeUnfinished(names, in: path)
    var warnings: [RecoveryWarning] = []
    let manifest =
      isStore(names)
      ? try ManifestFile.open(in: path) { warnings.append($0) }
      : try ManifestFile.create(in: path, store: .random(options))
    return JournalDirectory(path: path, options: options, lock: lock, manifest: manifest, warnings: warnings)
  }

  private static func create(_ path: String) throws(JournalError) {
    try reading { () throws(SystemError) in
      try Directory.create(path)
      try Directory.synchronize("\(path)/..")
    }
  }

  /// The names in a directory that holds a store or nothing; throws `.notAStore` for any other.
  @discardableResult
  private static func refuseForeign(_ path: String) throws(JournalError) -> [String] {
    let names = try reading { () throws(SystemError) in try Directory.names(in: path) }
    if isStore(names) { return names }
    guard let stranger = names.first(where: { !FileNames.isNothing($0) }) else { return names }
    if FileNames.segmentRevision(stranger) != nil || FileNames.snapshotRevision(stranger) != nil {
      throw .missing(file: "\(path)/\(FileNames.manifests[0])")
    }
    throw .notAStore(directory: path, reason: "it holds \(stranger) and no manifest")
  }

  private static func isStore(_ names: [String]) -> Bool { FileNames.manifests.contains(where: names.contains) }

  private static func removeUnfinished(_ names: [String], in path: String) throws(JournalError) {
    try reading { () throws(SystemError) in
      for name in names where FileNames.isUnfinished(name) { try Directory.remove("\(path)/\(name)") }
    }
  }
}
