import Platform

/// The snapshots of a store: writes new ones and removes what they make needless.
struct SnapshotDirectory: Sendable {
  let directory: String
  let manifest: Guarded<ManifestFile>
  let options: JournalOptions

  /// Runs file operations on a snapshot, whose failure leaves the journal and the older snapshots as they were.
  static func storing<Result>(_ body: () throws(SystemError) -> Result) throws(JournalError) -> Result {
    do throws(SystemError) { return try body() } catch { throw error.isOutOfSpace ? .outOfSpace(error) : .system(error) }
  }

  /// Writes, verifies and publishes a snapshot, then prunes; returns its length in bytes, and the digest that the body gave.
  func write(
    revision: UInt64, _ body: (inout SnapshotWriter) throws -> UInt64
  ) throws(JournalError) -> (bytes: UInt64, digest: UInt64) {
    let path = "\(directory)/\(FileNames.snapshot(of: revision))"
    let unfinished = path + FileNames.unfinished
    let store = manifest.withLock { $0.current.store }
    let written: (bytes: UInt64, digest: UInt64)
    do throws(JournalError) {
      written = try writeUnfinished(unfinished, store: store, revision: revision, body)
      var reader = try SnapshotReader(path: unfinished, store: store, revision: revision)
      try reader.readToEnd()
    } catch {
      // The error that counts is the first; a file left over is removed at the next opening.
      try? Directory.remove(unfinished)
      throw error
    }
    try Self.storing { () throws(SystemError) in
      try Directory.rename(unfinished, to: path)
      try Directory.synchronize(directory)
      try publish(revision)
      try prune()
    }
    return written
  }

  private func writeUnfinished(
    _ path: String, store: StoreIdentity, revision: UInt64, _ body: (inout SnapshotWriter) throws -> UInt64
  ) throws(JournalError) -> (bytes: UInt64, digest: UInt64) {
    do {
      var writer = try SnapshotWriter(path: path, store: store, revision: revision, salt: options.randomNumber())
      let digest = try body(&writer)
      return (try writer.finish(digest: digest), digest)
    } catch let error as JournalError {
      throw error
    } catch let error as SystemError {
      throw error.isOutOfSpace ? .outOfSpace(error) : .system(error)
    } catch {
      throw .rejected(place: "the snapshot of revision \(revision)", error)
    }
  }

  /// Names the snapshot in the manifest, and the oldest segment that the snapshot before it needs.
  private func publish(_ revision: UInt64) throws(SystemError) {
    let segments = try Directory.names(in: directory).compactMap(FileNames.segmentRevision)
    try manifest.withLock { (file) throws(SystemError) in
      try file.update { manifest in
        manifest.add(snapshot: revision)
        guard manifest.snapshots.count == ManifestFormat.snapshotGenerations else { return }
        let firstNeededRecord = manifest.snapshots[0] + 1
        let holder = segments.filter { $0 <= firstNeededRecord }.max() ?? manifest.firstSegment
        manifest.firstSegment = max(manifest.firstSegment, min(holder, manifest.lastSegment))
      }
    }
  }

  /// Removes snapshots that the manifest does not name and segments before the first that is needed, unless they are kept longer.
  private func prune() throws(SystemError) {
    let manifest = manifest.withLock { $0.current }
    let names = try Directory.names(in: directory)
    let firstKept = try options.keptSeconds > 0 ? beginningOfKept(names) : .max
    let segments = names.compactMap(FileNames.segmentRevision)
    let firstSegment = min(manifest.firstSegment, firstKept == .max ? .max : segments.filter { $0 <= firstKept + 1 }.max() ?? 1)
    for name in names {
      let isOldSegment = FileNames.segmentRevision(name).map { $0 < firstSegment } ?? false
      let isOldSnapshot = FileNames.snapshotRevision(name).map { !manifest.snapshots.contains($0) && $0 < firstKept } ?? false
      if isOldSegment || isOldSnapshot { try Directory.remove("\(directory)/\(name)") }
    }
  }

  /// The revision of the newest snapshot that was complete when the time to keep began, since the past from then on begins with it;
  /// 0 where there is none yet.
  private func beginningOfKept(_ names: [String]) throws(SystemError) -> UInt64 {
    let beginning = Clock.wallMilliseconds() - options.keptSeconds * 1_000
    var newest: UInt64 = 0
    for name in names {
      guard let revision = FileNames.snapshotRevision(name), revision > newest,
        try Directory.modificationMilliseconds(of: "\(directory)/\(name)") <= beginning
      else { continue }
      newest = revision
    }
    return newest
  }
}
