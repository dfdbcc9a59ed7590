/// The end of a snapshot, which proves that it is whole.
struct SnapshotFooter: Equatable {
  let blockCount: UInt64
  let contentBytes: UInt64
  let digest: UInt64
  let revision: UInt64
  /// The checksum of the last block, or of the header when there is no block.
  let lastChecksum: UInt32

  /// The bytes, of which the last four are the checksum.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(integer: SnapshotFormat.footerMagic)
    bytes.append(integer: blockCount)
    bytes.append(integer: contentBytes)
    bytes.append(integer: digest)
    bytes.append(integer: revision)
    bytes.append(integer: lastChecksum)
    bytes.appendChecksum()
    return bytes
  }

  /// Reads a footer, or nil when the bytes are not one.
  static func decode(_ bytes: RawSpan) -> SnapshotFooter? {
    guard bytes.byteCount == SnapshotFormat.footerBytes,
      bytes.integer(at: 0, as: UInt64.self) == SnapshotFormat.footerMagic,
      CRC32C.checksum(bytes.extracting(first: SnapshotFormat.footerChecksumOffset))
        == bytes.integer(at: SnapshotFormat.footerChecksumOffset, as: UInt32.self)
    else { return nil }
    return SnapshotFooter(
      blockCount: bytes.integer(at: SnapshotFormat.footerBlockCountOffset, as: UInt64.self),
      contentBytes: bytes.integer(at: SnapshotFormat.footerByteCountOffset, as: UInt64.self),
      digest: bytes.integer(at: SnapshotFormat.footerDigestOffset, as: UInt64.self),
      revision: bytes.integer(at: SnapshotFormat.footerRevisionOffset, as: UInt64.self),
      lastChecksum: bytes.integer(at: SnapshotFormat.footerPreviousChecksumOffset, as: UInt32.self))
  }
}
