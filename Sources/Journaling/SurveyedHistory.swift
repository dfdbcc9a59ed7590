import Platform

// What of a store's past can be proven, whatever is damaged around it.

extension StoreSurvey {
  /// Where the past can begin: 0 where the first segment is there or none was ever made, and every snapshot that is whole;
  /// ascending.
  package var bases: [UInt64] {
    let isNew = segments.isEmpty && manifest?.lastSegment == 0
    return (isNew || segments.first?.first == 1 ? [0] : []) + snapshotDigests.keys.sorted()
  }

  /// The last revision of an unbroken line of whole records from a base on.
  package func reach(from base: UInt64) -> UInt64 { line(from: base).last.map { max($0.last, base) } ?? base }

  /// The oldest base of those that reach furthest; nil where nothing can be proven.
  package var base: UInt64? { bases.min { (reach(from: $1), $0) < (reach(from: $0), $1) } }

  /// The segments of the unbroken line; the last one may be damaged behind its last whole record.
  private func line(from base: UInt64) -> ArraySlice<SurveyedSegment> {
    guard let start = segments.lastIndex(where: { $0.first <= base + 1 }), segments[start].last >= base else { return [] }
    var end = start
    while segments[end].isWhole, end + 1 < segments.count, segments[end + 1].continues { end += 1 }
    return segments[start...end]
  }

  /// Gives the caller a snapshot that is whole, and the records behind it as far as they reach.
  ///
  /// - Parameter base: one of `bases`; for 0 no snapshot is read.
  /// - Throws: `.rejected` with what the caller threw; `.damaged` or `.system` where a file is no longer what it was a moment ago.
  package func readHistory(
    from base: UInt64, snapshot: (inout SnapshotReader) throws -> Void, record: (UInt64, RawSpan) throws -> Void
  ) throws(JournalError) {
    guard let store else { return }
    if base > 0 { try readSnapshot(base, snapshot) }
    let reader = SegmentReader(directory: directory, store: store)
    for segment in line(from: base) {
      do throws(JournalError) {
        _ = try reader.replay(first: segment.first, after: nil, isLast: segment.first == segments.last?.first) {
          (revision, bytes) throws(JournalError) in
          guard revision > base else { return }
          do { try record(revision, bytes) } catch { throw .rejected(place: "the record of revision \(revision)", error) }
        }
      } catch {
        // What is known to be damaged was read as far as it is whole.
        guard error.isDamage, !segment.isWhole else { throw error }
      }
    }
  }

  /// What to throw or tell of a snapshot whose bytes are whole and say something wrong.
  package func damagedSnapshot(_ revision: UInt64, _ reason: String) -> JournalError {
    .damaged(file: "\(directory)/\(FileNames.snapshot(of: revision))", offset: HeaderFormat.byteCount, reason: reason)
  }

  /// Gives the caller a snapshot that is whole.
  package func readSnapshot(_ revision: UInt64, _ body: (inout SnapshotReader) throws -> Void) throws(JournalError) {
    guard let store else { return }
    var reader = try SnapshotReader(
      path: "\(directory)/\(FileNames.snapshot(of: revision))", store: store, revision: revision)
    do { try body(&reader) } catch let error as JournalError { throw error } catch {
      throw .rejected(place: "the snapshot of revision \(revision)", error)
    }
    try reader.readToEnd()
  }
}
