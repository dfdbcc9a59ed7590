/// One frame that was found whole and in its place.
struct Frame: Equatable {
  let type: FrameType
  let firstRevision: UInt64
  /// How many records with revisions it has.
  let count: Int
  /// Where it begins and where the next one does.
  let range: Range<Int>
  /// The chain that the next frame continues.
  let chain: FrameChain
  /// What a digest frame holds, nil for any other.
  var note: DigestNote?
}

/// What stands at a place where a frame may begin.
enum FrameOutcome: Equatable {
  case frame(Frame)
  /// Zeros up to the end of the file.
  case end
  /// Something that is neither.
  case damaged(reason: String)
}

/// Finds frames in the bytes of a segment; total over any bytes.
enum FrameReader {
  /// What stands at `offset`, where a frame that continues the chain is expected.
  static func read(_ bytes: RawSpan, at offset: Int, after chain: FrameChain) -> FrameOutcome {
    guard let length = wholeLength(bytes, at: offset, salt: chain.salt) else {
      return bytes.extracting(droppingFirst: offset).isZero ? .end : .damaged(reason: "no frame matches its checksum here")
    }
    let frame = bytes.extracting(offset..<(offset + length))
    guard let type = FrameType(rawValue: frame.integer(at: FrameFormat.typeOffset, as: UInt8.self)),
      frame.extracting(FrameFormat.reservedOffset..<FrameFormat.firstRevisionOffset).isZero
    else { return .damaged(reason: "the frame is of an unknown type") }
    let firstRevision = frame.integer(at: FrameFormat.firstRevisionOffset, as: UInt64.self)
    guard firstRevision == chain.nextRevision,
      frame.integer(at: FrameFormat.previousChecksumOffset, as: UInt32.self) == chain.checksum
    else { return .damaged(reason: "the frame does not follow the one before it") }
    let count = Int(frame.integer(at: FrameFormat.countOffset, as: UInt32.self))
    guard recordsFill(frame, count: count), (count == 0) == (type == .seal), UInt64(count) <= .max - firstRevision else {
      return .damaged(reason: "the frame's records do not fill it")
    }
    let note = type == .digest ? note(in: frame, count: count) : nil
    if type == .digest && !(note.map { (1..<firstRevision).contains($0.revision) } ?? false) {
      return .damaged(reason: "the frame's digest is of no revision before it")
    }
    let checksum = frame.integer(at: length - FrameFormat.checksumBytes, as: UInt32.self)
    let revisionCount = type.revisionCount(of: count)
    let next = FrameChain(salt: chain.salt, checksum: checksum, nextRevision: firstRevision + UInt64(revisionCount))
    let range = offset..<(offset + length)
    return .frame(
      Frame(type: type, firstRevision: firstRevision, count: revisionCount, range: range, chain: next, note: note))
  }

  /// Where the first whole frame of this salt at or after `offset` begins, whatever it follows.
  static func search(_ bytes: RawSpan, from offset: Int, salt: UInt64) -> Int? {
    var candidate = offset
    while candidate + FrameFormat.sealBytes <= bytes.byteCount {
      if wholeLength(bytes, at: candidate, salt: salt) != nil { return candidate }
      candidate += FrameFormat.alignment
    }
    return nil
  }

  /// Gives each record of a frame, with its revision, to the body.
  static func forEachRecord<Failure: Error>(
    of frame: Frame, in bytes: RawSpan, _ body: (UInt64, RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    var offset = frame.range.lowerBound + FrameFormat.recordsOffset
    for index in 0..<frame.count {
      let start = offset + FrameFormat.recordLengthBytes
      offset = start + Int(bytes.integer(at: offset, as: UInt32.self))
      try body(frame.firstRevision + UInt64(index), bytes.extracting(start..<offset))
    }
  }

  /// What a digest frame holds, whose records are known to fill it.
  private static func note(in frame: RawSpan, count: Int) -> DigestNote? {
    guard count == 1 else { return nil }
    let length = Int(frame.integer(at: FrameFormat.recordsOffset, as: UInt32.self))
    let start = FrameFormat.recordsOffset + FrameFormat.recordLengthBytes
    return DigestNote.decode(frame.extracting(start..<(start + length)))
  }

  /// The length of the frame at `offset`, or nil unless the segment's salt and the frame's checksum say that it is one.
  private static func wholeLength(_ bytes: RawSpan, at offset: Int, salt: UInt64) -> Int? {
    guard bytes.byteCount - offset >= FrameFormat.sealBytes,
      bytes.integer(at: offset + FrameFormat.saltOffset, as: UInt64.self) == salt
    else { return nil }
    let length = Int(bytes.integer(at: offset, as: UInt32.self))
    guard length >= FrameFormat.sealBytes, length <= min(JournalLimits.frameBytes, bytes.byteCount - offset),
      length % FrameFormat.alignment == 0
    else { return nil }
    let covered = bytes.extracting(offset..<(offset + length - FrameFormat.checksumBytes))
    let stored = bytes.integer(at: offset + length - FrameFormat.checksumBytes, as: UInt32.self)
    return CRC32C.checksum(covered) == stored ? length : nil
  }

  /// True when `count` records of allowed length, and less than one alignment of zeros, fill the frame.
  private static func recordsFill(_ frame: RawSpan, count: Int) -> Bool {
    let end = frame.byteCount - FrameFormat.checksumBytes
    var offset = FrameFormat.recordsOffset
    for _ in 0..<count {
      guard end - offset >= FrameFormat.recordLengthBytes else { return false }
      let length = Int(frame.integer(at: offset, as: UInt32.self))
      offset += FrameFormat.recordLengthBytes
      guard length <= JournalLimits.recordBytes, length <= end - offset else { return false }
      offset += length
    }
    return end - offset < FrameFormat.alignment && frame.extracting(offset..<end).isZero
  }
}
