import Platform

/// What replaying a segment came to.
struct ReplayedSegment: Equatable {
  let header: SegmentHeader
  let path: String
  /// The length of the file.
  let fileBytes: Int
  /// Where the last whole frame ends.
  var end: Int
  var chain: FrameChain
  var isSealed = true
  /// The digests that stand in it, by the revision that each is of.
  var digests: [UInt64: UInt64] = [:]
  /// The bytes from `end` that are an unfinished write; empty unless this is the last segment.
  var tornTail: [UInt8] = []
}

/// Reads one segment after another and proves that each follows the one before it.
struct SegmentReader {
  let directory: String
  let store: StoreIdentity

  /// Gives each record of a segment to the body.
  /// - Parameters:
  ///   - first: the first revision, from the segment's name.
  ///   - previous: the segment before, unless this is the first that is read.
  ///   - isLast: true when an unfinished write may stand at the end.
  ///   - last: the revision of the last frame that is looked at. What is behind it may be written while this reads, so that a frame
  ///     would be seen in part, and one after it whole: that would look like damage.
  func replay(
    first: UInt64, after previous: ReplayedSegment?, isLast: Bool, through last: UInt64 = .max,
    _ body: (UInt64, RawSpan) throws(JournalError) -> Void
  ) throws(JournalError) -> ReplayedSegment {
    let path = "\(directory)/\(FileNames.segment(first: first))"
    let stored = try read(path, synchronizing: isLast)
    let bytes = unsafe stored.span.bytes
    let header = try SegmentHeader.decode(bytes, store: store, file: path)
    try check(header, first: first, file: path)
    if let previous { try checkSeam(between: previous, and: header, file: path) }
    let start = FrameChain(salt: header.salt, checksum: HeaderBlock.checksum(in: bytes), nextRevision: first)
    var segment = ReplayedSegment(
      header: header, path: path, fileBytes: stored.count, end: SegmentFormat.framesOffset, chain: start)
    while segment.chain.nextRevision <= last {
      switch FrameReader.read(bytes, at: segment.end, after: segment.chain) {
      case .end: return segment
      case .frame(let frame):
        try FrameReader.forEachRecord(of: frame, in: bytes, body)
        if let note = frame.note { segment.digests[note.revision] = note.digest }
        segment.end = frame.range.upperBound
        segment.chain = frame.chain
        segment.isSealed = frame.type != .batch
      case .damaged(let reason):
        try refuseDamage(bytes, in: segment, isLast: isLast, reason: reason)
        segment.tornTail = Array(stored[segment.end...])
        while segment.tornTail.last == 0 { segment.tornTail.removeLast() }
        return segment
      }
    }
    return segment
  }

  /// Reads a file whole.
  ///
  /// What the process before wrote last may be in the page cache only, and after a failed sync the cache may even hold what the
  /// disk does not: it is synced and read from the disk before it is believed.
  private func read(_ path: String, synchronizing: Bool) throws(JournalError) -> [UInt8] {
    try reading { () throws(SystemError) in
      let file = try File(path, for: .read)
      if synchronizing {
        try file.synchronize()
        try file.dropCachedPages()
      }
      return try file.read(file.size(), at: 0)
    }
  }

  private func check(_ header: SegmentHeader, first: UInt64, file: String) throws(JournalError) {
    guard header.firstRevision == first else {
      throw .damaged(file: file, offset: HeaderFormat.fieldsOffset, reason: "the header does not agree with the file's name")
    }
  }

  /// Throws unless a segment begins where the one before it ends.
  func checkSeam(
    between previous: ReplayedSegment, and header: SegmentHeader, file: String
  ) throws(JournalError) {
    if header.number > previous.header.number + 1, header.firstRevision > previous.chain.nextRevision {
      throw .missing(file: "\(directory)/\(FileNames.segment(first: previous.chain.nextRevision))")
    }
    guard header.number == previous.header.number + 1, header.firstRevision == previous.chain.nextRevision,
      header.checksumBefore == previous.chain.checksum
    else {
      throw .damaged(
        file: previous.path, offset: previous.end, reason: "the segment does not end where the next one, \(file), begins")
    }
  }

  /// Throws unless what follows the last whole frame can be an unfinished write.
  ///
  /// The next frame is written only after the sync of the last, so a whole frame further on proves that the bytes before it
  /// were once on the disk and have changed since.
  private func refuseDamage(
    _ bytes: RawSpan, in segment: ReplayedSegment, isLast: Bool, reason: String
  ) throws(JournalError) {
    guard isLast, FrameReader.search(bytes, from: segment.end, salt: segment.header.salt) == nil else {
      throw .damaged(file: segment.path, offset: segment.end, reason: reason)
    }
  }
}
