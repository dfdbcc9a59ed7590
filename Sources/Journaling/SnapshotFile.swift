import Platform

/// The file of a snapshot, held open so that it is read to its end even where it is pruned meanwhile.
package final class SnapshotFile: Sendable {
  package let revision: UInt64
  /// The length of the file.
  package let byteCount: Int
  private let file: File

  /// Opens a snapshot of a store, and reads it once to prove that it is whole.
  init(path: String, store: StoreIdentity, revision: UInt64) throws(JournalError) {
    var reader = try SnapshotReader(path: path, store: store, revision: revision)
    try reader.readToEnd()
    let file = try reading { () throws(SystemError) in try File(path, for: .read) }
    byteCount = try reading { () throws(SystemError) in try file.size() }
    self.file = file
    self.revision = revision
  }

  /// The bytes from an offset on, fewer only where the file ends.
  package func read(_ count: Int, at offset: Int) throws(JournalError) -> [UInt8] {
    try reading { () throws(SystemError) in try file.read(max(0, min(count, byteCount - offset)), at: offset) }
  }
}

extension Journal {
  /// Opens the newest snapshot; nil where there is none.
  package func openNewestSnapshot() throws(JournalError) -> SnapshotFile? {
    let (store, newest) = snapshots.manifest.withLock { ($0.current.store, $0.current.snapshots.last) }
    guard let newest else { return nil }
    return try SnapshotFile(path: "\(snapshots.directory)/\(FileNames.snapshot(of: newest))", store: store, revision: newest)
  }
}
