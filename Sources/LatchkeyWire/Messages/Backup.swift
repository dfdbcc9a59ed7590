import Protobuf

/// Asks for a piece of a backup: the file of a snapshot.
public struct ReadBackupRequest: Message {
  /// 0: begins a backup of now; else that of the first answer.
  public var revision: UInt64 = 0
  /// Where in the file to go on; 0 where a backup begins.
  public var offset: UInt64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.uint64(2, "offset", &offset)
  }
}

/// Gives a piece of a backup.
public struct ReadBackupResponse: Message {
  public var revision: UInt64 = 0
  /// The length of the whole file.
  public var fileBytes: UInt64 = 0
  /// From the offset on; empty only at the end.
  public var content: [UInt8] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.uint64(2, "file_bytes", &fileBytes)
    try visitor.bytes(3, "content", &content)
  }
}

/// Puts back one entry of a dump.
public struct RestoreEntryRequest: Message {
  /// A line of `latchkey dump`.
  public var entryJSON = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "entry_json", &entryJSON)
  }
}

/// Says that the entry is held, and durable.
public struct RestoreEntryResponse: Message {
  public var revision: UInt64 = 0
  /// The very same was held already.
  public var wasThere = false

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.bool(2, "was_there", &wasThere)
  }
}
