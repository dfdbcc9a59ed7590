/// The block of 512 bytes at the start of each file of a store. See docs/journal-format.md.
enum HeaderFormat {
  static let byteCount = 512
  static let version: UInt32 = 1
  /// Features that an older reader may ignore.
  static let compatibleFeatures: UInt32 = 0
  /// Features that a reader must know, or else refuse the file.
  static let incompatibleFeatures: UInt32 = 0

  static let magicOffset = 0
  static let versionOffset = 8
  static let compatibleOffset = 12
  static let incompatibleOffset = 16
  static let reservedOffset = 20
  static let storeOffset = 24
  static let fieldsOffset = 40
  /// The number of 64-bit fields, whose meaning depends on the kind of file.
  static let fieldCount = 8
  static let checksumOffset = 508
}

/// The kinds of file, by the first eight bytes.
enum FileKind: String {
  case segment = "LKJOURNL"
  case snapshot = "LKSNAPSH"
  case manifest = "LKMANIFS"
}
