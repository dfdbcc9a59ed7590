import Platform

// What is kept of a store's past, read beside the thread that appends to it.

extension Journal {
  /// The earliest revision from which the past can be read: 0 where the journal is whole, else that of the oldest kept snapshot whose
  /// later segments are all there; nil where there is none.
  package func earliestKept() throws(JournalError) -> UInt64? {
    try keptBases().min()
  }

  /// The latest of those revisions that isn't after another one: the least is read from there; nil where there is none.
  package func latestKept(through revision: UInt64) throws(JournalError) -> UInt64? {
    try keptBases().filter { $0 <= revision }.max()
  }

  /// The revisions from which the past can be read.
  private func keptBases() throws(JournalError) -> [UInt64] {
    let names = try reading { [snapshots] () throws(SystemError) in try Directory.names(in: snapshots.directory) }
    guard let oldest = names.compactMap(FileNames.segmentRevision).min() else { return [] }
    return names.compactMap(FileNames.snapshotRevision).filter { $0 + 1 >= oldest } + (oldest == 1 ? [0] : [])
  }

  /// Gives the caller a kept snapshot, and the records after it up to one that is on the disk.
  ///
  /// A snapshot that is written meanwhile may remove what is being read; that throws `.system` or `.missing`, and is worth another try.
  /// - Parameters:
  ///   - base: of `earliestKept` or `latestKept`; for 0 no snapshot is read.
  ///   - last: at most `lastRevision`.
  package func readKept(
    from base: UInt64, through last: UInt64, snapshot: (inout SnapshotReader) throws -> Void,
    record: (UInt64, RawSpan) throws -> Void
  ) throws(JournalError) {
    precondition(last <= lastRevision, "what isn't on the disk yet isn't read")
    let store = snapshots.manifest.withLock { $0.current.store }
    if base > 0 {
      var reader = try SnapshotReader(
        path: "\(snapshots.directory)/\(FileNames.snapshot(of: base))", store: store, revision: base)
      do { try snapshot(&reader) } catch { throw .rejected(place: "the snapshot of revision \(base)", error) }
      try reader.readToEnd()
    }
    let names = try reading { [snapshots] () throws(SystemError) in try Directory.names(in: snapshots.directory) }
    let firsts = names.compactMap(FileNames.segmentRevision).filter { $0 <= last }.sorted()
    let start = firsts.last { $0 <= base + 1 } ?? 1
    var previous: ReplayedSegment?
    for first in firsts where first >= start {
      // All of it is on the disk, so that none of it can be an unfinished write.
      let reader = SegmentReader(directory: snapshots.directory, store: store)
      previous = try reader.replay(first: first, after: previous, isLast: false, through: last) {
        (revision, bytes) throws(JournalError) in
        guard revision > base, revision <= last else { return }
        do { try record(revision, bytes) } catch { throw .rejected(place: "the record of revision \(revision)", error) }
      }
    }
  }
}
