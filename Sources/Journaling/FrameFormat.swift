/// The layout of a frame: one batch of records, a seal, or a digest. See docs/journal-format.md.
enum FrameFormat {
  static let lengthOffset = 0
  static let typeOffset = 4
  static let reservedOffset = 5
  static let firstRevisionOffset = 8
  static let saltOffset = 16
  static let countOffset = 24
  static let previousChecksumOffset = 28
  static let recordsOffset = 32
  static let recordLengthBytes = 4
  static let checksumBytes = 4
  /// Frames begin at multiples of this.
  static let alignment = 8
  /// The length of a frame without records.
  static let sealBytes = 40

  /// The length of a frame whose records take `recordBytes` with their lengths.
  static func length(recordBytes: Int) -> Int {
    (recordsOffset + recordBytes + checksumBytes + alignment - 1) / alignment * alignment
  }
}

/// What a frame is for.
enum FrameType: UInt8, Sendable {
  /// Records that are stored whole or not at all.
  case batch = 1
  /// Nothing; it proves that the frame before it was complete.
  case seal = 2
  /// One record without a revision: a `DigestNote`. It proves as much as a seal.
  case digest = 3

  /// How many revisions a frame of so many records takes.
  func revisionCount(of records: Int) -> Int { self == .batch ? records : 0 }
}

/// What a frame must continue: the frame before it, in the same segment.
struct FrameChain: Equatable, Sendable {
  /// A random number of the segment, by which its frames are told from any other bytes.
  let salt: UInt64
  /// The checksum of the frame before, or of the segment's header.
  var checksum: UInt32
  /// The revision of the next record.
  var nextRevision: UInt64
}
