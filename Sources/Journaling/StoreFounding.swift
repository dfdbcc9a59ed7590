import Platform

/// Lays the files of a store that begins with a state instead of with its first record.
///
/// It gets an identity of its own: it goes on with the same revisions as the store that the state is from, and a file of one must
/// never be taken for a file of the other.
package enum StoreFounding {
  /// Makes a store in a directory that is missing or empty; what was made is removed where that fails.
  ///
  /// - Parameters:
  ///   - revision: at least 1; the next record is the one after it.
  ///   - digest: of the state, given back at recovery.
  ///   - body: writes the state in blocks.
  /// - Throws: `.occupied` where the directory isn't empty, `.inUse`, `.outOfSpace`, `.system`, `.failed`, and what the body threw
  ///   as `.rejected`.
  package static func found(
    in directory: String, revision: UInt64, digest: UInt64, _ body: (inout SnapshotWriter) throws -> Void
  ) throws(JournalError) {
    let wasMissing = try reading { () throws(SystemError) in try !Directory.exists(directory) }
    if wasMissing {
      try reading { () throws(SystemError) in
        try Directory.create(directory)
        try Directory.synchronize("\(directory)/..")
      }
    }
    try refuseFull(directory)
    let lock = try reading { () throws(SystemError) in try FileLock.acquire("\(directory)/\(FileNames.lock)") }
    guard let lock else { throw .inUse(directory: directory) }
    try refuseFull(directory)
    do throws(JournalError) {
      try lay(Foundation(directory: directory, revision: revision, digest: digest, generation: 0), body)
    } catch {
      // The error that counts is the first.
      for name in [FileNames.snapshot(of: revision), FileNames.segment(first: revision + 1)] {
        try? Directory.remove("\(directory)/\(name)")
      }
      throw error
    }
    _ = consume lock
  }

  private static func refuseFull(_ directory: String) throws(JournalError) {
    let names = try reading { () throws(SystemError) in try Directory.names(in: directory) }
    guard let stranger = names.first(where: { !FileNames.isNothing($0) }) else { return }
    throw .occupied(directory: directory, by: stranger)
  }

  /// What a store is to begin with.
  struct Foundation {
    let directory: String
    let revision: UInt64
    let digest: UInt64
    /// That of the manifest whose place the new one takes; 0 where there is none.
    let generation: UInt64
    var store = StoreIdentity.random()
  }

  /// Writes the snapshot, proves it, makes the segment behind it, and last the manifest: until then the store isn't there, and
  /// whatever else the directory holds is as it was.
  static func lay(_ new: Foundation, _ body: (inout SnapshotWriter) throws -> Void) throws(JournalError) {
    precondition(new.revision > 0, "a store without a record begins by itself")
    try writeSnapshot(new, body)
    let header = SegmentHeader(
      store: new.store, number: 1, salt: .random(in: 1 ... .max), lastRevisionBefore: new.revision, checksumBefore: 0)
    _ = try SegmentWriter.create(in: new.directory, header: header, capacity: JournalOptions().segmentBytes)
    let manifest = Manifest(
      store: new.store, generation: new.generation, firstSegment: header.firstRevision, lastSegment: header.firstRevision,
      snapshots: [new.revision])
    try ManifestFile.create(in: new.directory, manifest)
  }

  private static func writeSnapshot(_ new: Foundation, _ body: (inout SnapshotWriter) throws -> Void) throws(JournalError) {
    let path = "\(new.directory)/\(FileNames.snapshot(of: new.revision))"
    let unfinished = path + FileNames.unfinished
    do {
      var writer = try SnapshotWriter(path: unfinished, store: new.store, revision: new.revision)
      try body(&writer)
      _ = try writer.finish(digest: new.digest)
      var reader = try SnapshotReader(path: unfinished, store: new.store, revision: new.revision)
      try reader.readToEnd()
      try Directory.rename(unfinished, to: path)
      try Directory.synchronize(new.directory)
    } catch {
      // The error that counts is the first.
      try? Directory.remove(unfinished)
      switch error {
      case let error as JournalError: throw error
      case let error as SystemError: throw error.isOutOfSpace ? .outOfSpace(error) : .system(error)
      default: throw .rejected(place: "the snapshot of revision \(new.revision)", error)
      }
    }
  }
}
