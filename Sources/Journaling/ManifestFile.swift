import Platform

/// The manifest on the disk: two copies, replaced one after the other, so that one is whole at any moment.
struct ManifestFile: Sendable {
  /// What both copies say.
  private(set) var current: Manifest
  private let directory: String

  /// Writes the manifest of a new store.
  static func create(in directory: String, store: StoreIdentity) throws(JournalError) -> ManifestFile {
    try create(in: directory, Manifest(store: store))
  }

  /// Writes a manifest in the place of whatever copies there are; it counts as a change of the one given.
  @discardableResult
  static func create(in directory: String, _ manifest: Manifest) throws(JournalError) -> ManifestFile {
    var file = ManifestFile(current: manifest, directory: directory)
    try writing { () throws(SystemError) in try file.update { _ in } }
    return file
  }

  /// Reads the manifest; a copy that is missing, damaged or behind is reported and written again.
  static func open(in directory: String, warn: (RecoveryWarning) -> Void) throws(JournalError) -> ManifestFile {
    var copies: [Manifest] = []
    var failure: JournalError?
    for name in FileNames.manifests {
      do throws(JournalError) {
        copies.append(try read("\(directory)/\(name)"))
      } catch {
        guard case .incompatible = error else {
          failure = failure ?? error
          continue
        }
        throw error
      }
    }
    guard let newest = copies.max(by: { $0.generation < $1.generation }) else {
      throw failure ?? .missing(file: "\(directory)/\(FileNames.manifests[0])")
    }
    var file = ManifestFile(current: newest, directory: directory)
    if let failure { warn(.manifestCopyReplaced(reason: "\(failure)")) }
    if copies.count < FileNames.manifests.count || copies.contains(where: { $0 != newest }) {
      try writing { () throws(SystemError) in try file.update { _ in } }
    }
    return file
  }

  /// Changes the manifest; when this throws, the old one or the new one holds, and either is right.
  mutating func update(_ change: (inout Manifest) -> Void) throws(SystemError) {
    var next = current
    change(&next)
    next.generation += 1
    let bytes = next.encoded()
    for name in FileNames.manifests {
      try WholeFile.write(bytes, to: "\(directory)/\(name)")
      try Directory.synchronize(directory)
    }
    current = next
  }

  /// Reads one copy.
  static func read(_ path: String) throws(JournalError) -> Manifest {
    guard try reading({ () throws(SystemError) in try Directory.exists(path) }) else { throw .missing(file: path) }
    let bytes = try WholeFile.read(path, limit: HeaderFormat.byteCount + 1)
    return try Manifest.decode(unsafe bytes.span.bytes, file: path)
  }
}
