/// The layout of a segment: a header block, frames, zeros. See docs/journal-format.md.
enum SegmentFormat {
  static let numberField = 0
  static let saltField = 1
  static let lastRevisionBeforeField = 2
  static let checksumBeforeField = 3
  /// Where the first frame begins.
  static let framesOffset = HeaderFormat.byteCount
}

/// What the header of a segment says.
struct SegmentHeader: Equatable, Sendable {
  let store: StoreIdentity
  /// 1 for the first segment of a store, and one more for each after it.
  let number: UInt64
  let salt: UInt64
  /// The last revision in the segment before, 0 before the first.
  let lastRevisionBefore: UInt64
  /// The checksum of the last frame of the segment before, 0 before the first.
  let checksumBefore: UInt32

  /// The revision of the first record, which is also in the file's name.
  var firstRevision: UInt64 { lastRevisionBefore + 1 }

  /// The header of the first segment of a store.
  static func first(of store: StoreIdentity, salt: UInt64) -> SegmentHeader {
    SegmentHeader(store: store, number: 1, salt: salt, lastRevisionBefore: 0, checksumBefore: 0)
  }

  /// The header of the segment after this one, which ends in `chain`; of one in its place where it has no records, since both
  /// would have one name.
  func next(after chain: FrameChain, salt: UInt64) -> SegmentHeader {
    if chain.nextRevision == firstRevision {
      return SegmentHeader(
        store: store, number: number, salt: salt, lastRevisionBefore: lastRevisionBefore, checksumBefore: checksumBefore)
    }
    return SegmentHeader(
      store: store, number: number + 1, salt: salt, lastRevisionBefore: chain.nextRevision - 1, checksumBefore: chain.checksum)
  }

  /// The bytes at the start of the file.
  func encoded() -> [UInt8] {
    HeaderBlock(kind: .segment, store: store, fields: [number, salt, lastRevisionBefore, UInt64(checksumBefore)]).encoded()
  }

  /// Reads the header of a segment of this store.
  static func decode(_ bytes: RawSpan, store: StoreIdentity, file: String) throws(JournalError) -> SegmentHeader {
    let header = try HeaderBlock.decode(bytes, kind: .segment, store: store, file: file)
    let last = header.fields[SegmentFormat.lastRevisionBeforeField]
    guard last < .max, let checksum = UInt32(exactly: header.fields[SegmentFormat.checksumBeforeField]) else {
      throw .damaged(file: file, offset: HeaderFormat.fieldsOffset, reason: "the header is out of bounds")
    }
    return SegmentHeader(
      store: store, number: header.fields[SegmentFormat.numberField], salt: header.fields[SegmentFormat.saltField],
      lastRevisionBefore: last, checksumBefore: checksum)
  }
}
