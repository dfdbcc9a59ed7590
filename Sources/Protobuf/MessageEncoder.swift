/// The visitor that appends a message's bytes to a buffer, its fields in the order of the list.
///
/// A nested message is written behind one byte kept for its length, and moved on where the length needs more: each level of
/// nesting moves a byte once at most.
@frozen
public struct MessageEncoder: FieldVisitor {
  public typealias Failure = Never

  /// What was written so far, behind what stood there before.
  public private(set) var bytes: [UInt8]

  /// Makes an encoder that appends to bytes.
  public init(appendingTo bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  private mutating func append(varint: UInt64) {
    var rest = varint
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func append(_ number: Int, varint: UInt64) {
    append(varint: UInt64(FieldTag(number, .varint).rawValue))
    append(varint: varint)
  }

  @usableFromInline
  mutating func append(_ number: Int, signed value: Int64) {
    append(number, varint: UInt64(bitPattern: value))
  }

  private mutating func append(_ number: Int, _ value: String) {
    append(varint: UInt64(FieldTag(number, .lengthDelimited).rawValue))
    append(varint: UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  @inlinable
  mutating func append(_ number: Int, message: some Message) {
    let start = beginMessage(number)
    var copy = message
    copy.visit(&self)
    endMessage(from: start)
  }

  /// Writes a nested message's tag and keeps a byte for its length; gives where the message begins.
  @usableFromInline
  mutating func beginMessage(_ number: Int) -> Int {
    append(varint: UInt64(FieldTag(number, .lengthDelimited).rawValue))
    bytes.append(0)
    return bytes.count
  }

  /// Writes the length into the byte kept for it, and inserts what doesn't fit.
  @usableFromInline
  mutating func endMessage(from start: Int) {
    let length = bytes.count - start
    if length < 0x80 {
      bytes[start - 1] = UInt8(length)
    } else {
      var prefix = MessageEncoder()
      prefix.append(varint: UInt64(length))
      bytes.replaceSubrange(start - 1..<start, with: prefix.bytes)
    }
  }
}

extension MessageEncoder {
  public mutating func string(_ number: Int, _ name: StaticString, _ value: inout String) {
    if !value.isEmpty { append(number, value) }
  }

  public mutating func bytes(_ number: Int, _ name: StaticString, _ value: inout [UInt8]) {
    guard !value.isEmpty else { return }
    append(varint: UInt64(FieldTag(number, .lengthDelimited).rawValue))
    append(varint: UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  public mutating func bool(_ number: Int, _ name: StaticString, _ value: inout Bool) {
    if value { append(number, varint: 1) }
  }

  public mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32) {
    if value != 0 { append(number, signed: Int64(value)) }
  }

  public mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64) {
    if value != 0 { append(number, signed: value) }
  }

  public mutating func uint32(_ number: Int, _ name: StaticString, _ value: inout UInt32) {
    if value != 0 { append(number, varint: UInt64(value)) }
  }

  public mutating func uint64(_ number: Int, _ name: StaticString, _ value: inout UInt64) {
    if value != 0 { append(number, varint: value) }
  }

  @inlinable
  public mutating func enumeration<Value: OpenEnumeration>(
    _ number: Int, _ name: StaticString, _ value: inout Value
  ) {
    if value.rawValue != 0 { append(number, signed: Int64(value.rawValue)) }
  }

  public mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32?) {
    if let value { append(number, signed: Int64(value)) }
  }

  public mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64?) {
    if let value { append(number, signed: value) }
  }

  @inlinable
  public mutating func enumeration<Value: OpenEnumeration>(
    _ number: Int, _ name: StaticString, _ value: inout Value?
  ) {
    if let value { append(number, signed: Int64(value.rawValue)) }
  }

  @inlinable
  public mutating func message<Value: Message>(_ number: Int, _ name: StaticString, _ value: inout Value?) {
    if let value { append(number, message: value) }
  }

  public mutating func strings(_ number: Int, _ name: StaticString, _ values: inout [String]) {
    for value in values { append(number, value) }
  }

  @inlinable
  public mutating func messages<Value: Message>(_ number: Int, _ name: StaticString, _ values: inout [Value]) {
    for value in values { append(number, message: value) }
  }
}
