/// What stands in the first 512 bytes of a file.
struct HeaderBlock: Equatable {
  let kind: FileKind
  let store: StoreIdentity
  /// Up to eight numbers, read as eight with zeros for what was not given.
  let fields: [UInt64]

  /// The bytes, of which the last four are the checksum.
  func encoded() -> [UInt8] {
    precondition(fields.count <= HeaderFormat.fieldCount, "too many header fields")
    var bytes = [UInt8](kind.rawValue.utf8)
    bytes.append(integer: HeaderFormat.version)
    bytes.append(integer: HeaderFormat.compatibleFeatures)
    bytes.append(integer: HeaderFormat.incompatibleFeatures)
    bytes.append(integer: UInt32(0))
    bytes.append(integer: store.high)
    bytes.append(integer: store.low)
    for field in fields { bytes.append(integer: field) }
    bytes.pad(to: HeaderFormat.checksumOffset)
    bytes.appendChecksum()
    return bytes
  }

  /// Reads a header of the expected kind, of any store unless one is given; `file` is for the error.
  static func decode(
    _ bytes: RawSpan, kind: FileKind, store expected: StoreIdentity?, file: String
  ) throws(JournalError) -> HeaderBlock {
    guard bytes.byteCount >= HeaderFormat.byteCount else {
      throw .damaged(file: file, offset: bytes.byteCount, reason: "the file ends inside its header")
    }
    try checkIntegrity(bytes, kind: kind, file: file)
    try checkFeatures(bytes, file: file)
    let store = StoreIdentity(
      high: bytes.integer(at: HeaderFormat.storeOffset, as: UInt64.self),
      low: bytes.integer(at: HeaderFormat.storeOffset + 8, as: UInt64.self))
    guard expected == nil || expected == store else {
      throw .foreign(file: file)
    }
    let fields = (0..<HeaderFormat.fieldCount).map { bytes.integer(at: HeaderFormat.fieldsOffset + 8 * $0, as: UInt64.self) }
    return HeaderBlock(kind: kind, store: store, fields: fields)
  }

  /// The checksum in the last four bytes, with which the chain of frames or blocks begins.
  static func checksum(in bytes: RawSpan) -> UInt32 { bytes.integer(at: HeaderFormat.checksumOffset, as: UInt32.self) }

  private static func checkIntegrity(_ bytes: RawSpan, kind: FileKind, file: String) throws(JournalError) {
    for (index, byte) in kind.rawValue.utf8.enumerated() where bytes.integer(at: index, as: UInt8.self) != byte {
      throw .damaged(file: file, offset: index, reason: "the file does not begin with \(kind.rawValue)")
    }
    guard CRC32C.checksum(bytes.extracting(first: HeaderFormat.checksumOffset)) == checksum(in: bytes) else {
      throw .damaged(file: file, offset: 0, reason: "the header does not match its checksum")
    }
  }

  private static func checkFeatures(_ bytes: RawSpan, file: String) throws(JournalError) {
    let version = bytes.integer(at: HeaderFormat.versionOffset, as: UInt32.self)
    guard version == HeaderFormat.version else {
      throw .incompatible(file: file, reason: "its format is version \(version), and this program reads version 1")
    }
    let features = bytes.integer(at: HeaderFormat.incompatibleOffset, as: UInt32.self)
    let unknown = features & ~HeaderFormat.incompatibleFeatures
    guard unknown == 0, bytes.integer(at: HeaderFormat.reservedOffset, as: UInt32.self) == 0 else {
      throw .incompatible(file: file, reason: "it uses features that this program does not know (bits \(unknown))")
    }
  }
}
