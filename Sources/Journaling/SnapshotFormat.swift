/// The layout of a snapshot: a header block, blocks, a footer. See docs/snapshot-format.md.
enum SnapshotFormat {
  static let revisionField = 0
  /// A random number, so that no two snapshots have the same checksums.
  static let saltField = 1

  static let blockLengthOffset = 0
  static let blockPreviousChecksumOffset = 4
  static let blockNumberOffset = 8
  static let blockContentOffset = 16
  static let checksumBytes = 4

  static let footerMagic: UInt64 = 0x544F_4F46_534B_4C4C  // "LLKSFOOT"
  static let footerBlockCountOffset = 8
  static let footerByteCountOffset = 16
  static let footerDigestOffset = 24
  static let footerRevisionOffset = 32
  static let footerPreviousChecksumOffset = 40
  static let footerChecksumOffset = 44
  static let footerBytes = 48
}
