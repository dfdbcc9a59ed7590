import Platform

extension JournalDirectory {
  /// Gives the caller what is stored, proves it, and opens the journal behind it.
  ///
  /// A damaged newest snapshot is passed over when an older one and the journal after it are whole. The remains of a write that
  /// was cut short are moved to a `.torn` file. Both are in the summary's warnings; any other damage is refused.
  /// - Parameters:
  ///   - snapshot: reads the newest good snapshot with `next()`; not called when there is none.
  ///   - record: gets each record after the snapshot, in order. The bytes are valid during the call.
  ///   - digest: the digest of the state after the record that came last, asked for where the journal holds one to compare it with:
  ///     when the replay begins before the newest snapshot. Nil compares nothing.
  ///   - progress: is told after each segment.
  package consuming func recover(
    snapshot: (inout SnapshotReader) throws -> Void, record: (UInt64, RawSpan) throws -> Void,
    digest: () throws -> UInt64? = { nil }, progress: (RecoveryProgress) -> Void = { _ in }
  ) throws(JournalError) -> Journal {
    var summary = RecoverySummary(warnings: warnings)
    let base = try replaySnapshot(&summary, snapshot)
    summary.lastRevision = base
    try reading { [path] () throws(SystemError) in try Directory.synchronize(path) }
    let firsts = try neededSegments(from: base)
    let noted = try notedDigests(in: firsts, after: base)
    let last = try replaySegments(firsts, &summary, progress) { (first, revision, bytes, summary) throws(JournalError) in
      do { try record(revision, bytes) } catch { throw .rejected(place: "the record of revision \(revision)", error) }
      guard !noted.isEmpty, let expected = noted[revision] else { return }
      try accepting("the digest of revision \(revision)") {
        guard let value = try digest() else { return }
        guard value == expected else {
          throw JournalError.diverged(file: "\(path)/\(FileNames.segment(first: first))", revision: revision)
        }
        summary.digestCount += 1
      }
    }
    try checkEnd(last, base: base)
    let segment = try resume(last, &summary)
    return try start(segment, summary)
  }

  /// Reads the newest good snapshot; returns its revision, or 0 when the journal alone tells everything.
  private func replaySnapshot(
    _ summary: inout RecoverySummary, _ body: (inout SnapshotReader) throws -> Void
  ) throws(JournalError) -> UInt64 {
    var firstFailure: JournalError?
    for revision in manifest.current.snapshots.reversed() {
      let file = "\(path)/\(FileNames.snapshot(of: revision))"
      guard try reading({ () throws(SystemError) in try Directory.exists(file) }) else { throw .missing(file: file) }
      do throws(JournalError) {
        var check = try SnapshotReader(path: file, store: manifest.current.store, revision: revision)
        try check.readToEnd()
      } catch {
        guard error.isDamage else { throw error }
        summary.warnings.append(.snapshotSkipped(reason: "\(error)"))
        firstFailure = firstFailure ?? error
        continue
      }
      var reader = try SnapshotReader(path: file, store: manifest.current.store, revision: revision)
      try accepting("the snapshot \(file)") { try body(&reader) }
      try reader.readToEnd()
      summary.snapshotRevision = revision
      summary.snapshotDigest = reader.digest
      return revision
    }
    if let firstFailure, manifest.current.firstSegment > 1 { throw firstFailure }
    return 0
  }

  /// The first revisions of the segments to be read, oldest first; throws when one that the manifest names is not there.
  private func neededSegments(from base: UInt64) throws(JournalError) -> [UInt64] {
    let names = try reading { [path] () throws(SystemError) in try Directory.names(in: path) }
    let kept = names.compactMap(FileNames.segmentRevision).filter { $0 >= manifest.current.firstSegment }.sorted()
    if manifest.current.lastSegment == 0 { return kept }
    for first in [manifest.current.firstSegment, manifest.current.lastSegment] where !kept.contains(first) {
      throw .missing(file: "\(path)/\(FileNames.segment(first: first))")
    }
    let start = kept.last { $0 <= base + 1 } ?? manifest.current.firstSegment
    return kept.filter { $0 >= start }
  }

  /// The digests in the journal of states that a replay from `base` comes through, by their revisions.
  ///
  /// A digest comes after its snapshot, and so after records that follow what it is of. A replay from the newest snapshot comes
  /// through none; any other, which only damage makes necessary, reads the segments twice.
  private func notedDigests(in firsts: [UInt64], after base: UInt64) throws(JournalError) -> [UInt64: UInt64] {
    guard let newest = manifest.current.snapshots.last, base < newest else { return [:] }
    let reader = SegmentReader(directory: path, store: manifest.current.store)
    var digests: [UInt64: UInt64] = [:]
    var previous: ReplayedSegment?
    for first in firsts {
      let replayed = try reader.replay(first: first, after: previous, isLast: first == firsts.last) { _, _ in }
      digests.merge(replayed.digests) { $1 }
      previous = replayed
    }
    return digests
  }

  /// Throws unless the snapshot that the replay began with has the digest that a segment after it tells of it.
  private func checkSnapshot(_ summary: RecoverySummary, against segment: ReplayedSegment) throws(JournalError) {
    guard let revision = summary.snapshotRevision, let noted = segment.digests[revision], noted != summary.snapshotDigest else {
      return
    }
    throw .damaged(
      file: "\(path)/\(FileNames.snapshot(of: revision))", offset: 0,
      reason: "its digest is not the one that the journal, in \(segment.path), has for it")
  }

  /// Throws unless the journal reaches as far as it is known to have been on the disk. A crash never takes more from its end than
  /// the one batch that was being written.
  private func checkEnd(_ last: ReplayedSegment?, base: UInt64) throws(JournalError) {
    let end = (last?.chain.nextRevision ?? 1) - 1
    let known = max(base, manifest.current.completeRevision)
    guard end >= known else {
      throw .damaged(
        file: last?.path ?? path, offset: last?.end ?? 0,
        reason: "the journal ends at revision \(end), but was complete on the disk up to revision \(known)")
    }
  }

  /// Reads the segments, and gives each record after the snapshot to the body, behind the first revision of its segment.
  private func replaySegments(
    _ firsts: [UInt64], _ summary: inout RecoverySummary, _ progress: (RecoveryProgress) -> Void,
    _ body: (UInt64, UInt64, RawSpan, inout RecoverySummary) throws(JournalError) -> Void
  ) throws(JournalError) -> ReplayedSegment? {
    let reader = SegmentReader(directory: path, store: manifest.current.store)
    let base = summary.lastRevision
    var previous: ReplayedSegment?
    for (index, first) in firsts.enumerated() {
      let isLast = index == firsts.count - 1
      let replayed = try reader.replay(first: first, after: previous, isLast: isLast) { (revision, bytes) throws(JournalError) in
        guard revision > base else { return }
        try body(first, revision, bytes, &summary)
        summary.lastRevision = revision
        summary.recordCount += 1
      }
      try checkSnapshot(summary, against: replayed)
      previous = replayed
      progress(RecoveryProgress(segmentsDone: index + 1, segmentsTotal: firsts.count, lastRevision: summary.lastRevision))
    }
    return previous
  }

  /// Opens the last segment for writing after taking away an unfinished write, or makes the first segment of a store.
  private func resume(_ last: ReplayedSegment?, _ summary: inout RecoverySummary) throws(JournalError) -> SegmentWriter {
    guard let last else {
      return try SegmentWriter.create(
        in: path, header: .first(of: manifest.current.store, salt: options.randomNumber()), capacity: options.segmentBytes)
    }
    if !last.tornTail.isEmpty { summary.warnings.append(try cut(last)) }
    let file = try reading { () throws(SystemError) in try File(last.path, for: .update) }
    return SegmentWriter(resuming: last, file: file, capacity: max(last.fileBytes, options.segmentBytes))
  }

  /// Keeps the torn tail in a file of its own, then cuts it off; both are on the disk before anything is appended.
  private func cut(_ segment: ReplayedSegment) throws(JournalError) -> RecoveryWarning {
    try writing { [path] () throws(SystemError) in
      let name = FileNames.segment(first: segment.header.firstRevision)
      let taken = try Directory.names(in: path)
      var attempt = 1
      while taken.contains(FileNames.torn(name, at: segment.end, attempt: attempt)) { attempt += 1 }
      let kept = "\(path)/\(FileNames.torn(name, at: segment.end, attempt: attempt))"
      try WholeFile.write(segment.tornTail, to: kept)
      try Directory.synchronize(path)
      let file = try File(segment.path, for: .update)
      try file.truncate(to: segment.end)
      try file.synchronize()
      try Directory.synchronize(path)
      return .tornTail(file: segment.path, offset: segment.end, bytes: segment.tornTail.count, keptIn: kept)
    }
  }

  /// Names the last segment in the manifest, seals it, notes that it is complete, and hands everything over.
  private consuming func start(_ segment: consuming SegmentWriter, _ summary: RecoverySummary) throws(JournalError) -> Journal {
    let first = segment.header.firstRevision
    // A snapshot that was passed over is none: the next one shall not let go of the good one in favour of it.
    let good = manifest.current.snapshots.filter { $0 <= summary.snapshotRevision ?? 0 }
    if manifest.current.lastSegment != first || manifest.current.snapshots != good {
      try writing { () throws(SystemError) in try manifest.update { ($0.lastSegment, $0.snapshots) = (first, good) } }
    }
    let shared = Guarded(manifest)
    let writer = JournalWriter(directory: path, options: options, manifest: shared, segment: segment)
    let journal = Journal(
      writer: writer, snapshots: SnapshotDirectory(directory: path, manifest: shared, options: options),
      recovery: summary, lock: lock)
    // A disk that is full lets the store be read; both are tried again at the next idle moment.
    do throws(JournalError) {
      try journal.seal()
      try journal.noteComplete()
    } catch { guard case .outOfSpace = error else { throw error } }
    return journal
  }
}

/// Runs the caller's own code, whose errors are told from those of the store.
private func accepting(_ place: String, _ body: () throws -> Void) throws(JournalError) {
  do { try body() } catch let error as JournalError { throw error } catch { throw .rejected(place: place, error) }
}
