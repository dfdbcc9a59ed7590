import Platform

// What lies behind the proven part of a store's past: known to have been there, and lost with a repair.

extension StoreSurvey {
  /// The highest revision that any file tells of, be it by its name alone.
  package func lastKnown() throws(JournalError) -> UInt64 {
    let names = files.map(\.name)
    var last = names.compactMap(FileNames.snapshotRevision).max() ?? 0
    last = max(last, (names.compactMap(FileNames.segmentRevision).max() ?? 1) - 1, (manifest?.lastSegment ?? 1) - 1)
    last = max(last, manifest?.snapshots.max() ?? 0, segments.map(\.last).max() ?? 0)
    try readLost(after: 0) { revision, _ in last = max(last, revision) }
    return last
  }

  /// Gives the caller every record after a revision whose frame is whole by itself, whether anything leads to it or not.
  package func readLost(after last: UInt64, _ record: (UInt64, RawSpan) -> Void) throws(JournalError) {
    for segment in segments {
      let stored = try WholeFile.read("\(directory)/\(FileNames.segment(first: segment.first))", limit: .max)
      let bytes = unsafe stored.span.bytes
      guard bytes.byteCount > SegmentFormat.framesOffset, isOwn(bytes) else { continue }
      FrameReader.forEachWholeFrame(in: bytes) { frame in
        FrameReader.forEachRecord(of: frame, in: bytes) { (revision, bytes) in
          if revision > last { record(revision, bytes) }
        }
      }
    }
  }

  /// Whether a file's header names this store; its checksum may be what is damaged.
  private func isOwn(_ bytes: RawSpan) -> Bool {
    bytes.integer(at: HeaderFormat.storeOffset, as: UInt64.self) == store?.high
      && bytes.integer(at: HeaderFormat.storeOffset + 8, as: UInt64.self) == store?.low
  }
}

extension FrameReader {
  /// Gives the caller every frame of a segment that is whole by itself.
  fileprivate static func forEachWholeFrame(in bytes: RawSpan, _ body: (Frame) -> Void) {
    let salt = bytes.integer(at: HeaderFormat.fieldsOffset + 8 * SegmentFormat.saltField, as: UInt64.self)
    var offset = SegmentFormat.framesOffset
    while let found = search(bytes, from: offset, salt: salt) {
      offset = found + FrameFormat.alignment
      guard case .frame(let frame) = read(bytes, at: found, after: .leading(to: found, in: bytes, salt: salt)) else { continue }
      body(frame)
      offset = frame.range.upperBound
    }
  }
}

extension FrameChain {
  /// The chain that a frame says it continues.
  fileprivate static func leading(to offset: Int, in bytes: RawSpan, salt: UInt64) -> FrameChain {
    FrameChain(
      salt: salt, checksum: bytes.integer(at: offset + FrameFormat.previousChecksumOffset, as: UInt32.self),
      nextRevision: bytes.integer(at: offset + FrameFormat.firstRevisionOffset, as: UInt64.self))
  }
}
