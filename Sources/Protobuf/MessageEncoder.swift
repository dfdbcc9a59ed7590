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

  /// Writes a field that is a number; both it and its tag with one look for room.
  @usableFromInline
  mutating func append(_ number: Int, varint: UInt64) {
    bytes.append(addingCapacity: 15) { output in
      output.append(varint: UInt64(FieldTag(number, .varint).rawValue))
      output.append(varint: varint)
    }
  }

  @inlinable
  mutating func append(_ number: Int, signed value: Int64) {
    append(number, varint: UInt64(bitPattern: value))
  }

  /// Writes the tag of a field that is made of so many bytes, which are to follow, and their number.
  private mutating func append(_ number: Int, byteCount: Int) {
    bytes.append(addingCapacity: 15) { output in
      output.append(varint: UInt64(FieldTag(number, .lengthDelimited).rawValue))
      output.append(varint: UInt64(byteCount))
    }
  }

  @usableFromInline
  mutating func append(_ number: Int, _ value: String) {
    append(number, byteCount: value.utf8.count)
    bytes.append(contentsOf: value.utf8)
  }

  @usableFromInline
  mutating func append(_ number: Int, _ value: [UInt8]) {
    append(number, byteCount: value.count)
    bytes.append(contentsOf: value)
  }

  /// Writes a nested message, which stays as it is; gives how many bytes it has, its tag and its length aside.
  @inlinable
  @discardableResult
  public mutating func append(_ number: Int, message: inout some Message) -> Int {
    let start = beginMessage(number)
    message.encode(into: &self)
    let byteCount = bytes.count - start
    endMessage(from: start)
    return byteCount
  }

  /// Writes a nested message's tag and keeps a byte for its length; gives where the message begins.
  @usableFromInline
  mutating func beginMessage(_ number: Int) -> Int {
    append(number, byteCount: 0)
    return bytes.count
  }

  /// Writes the length into the byte kept for it, and moves the message on where it doesn't fit.
  @usableFromInline
  mutating func endMessage(from start: Int) {
    var rest = bytes.count - start
    let missing = (Int.bitWidth - rest.leadingZeroBitCount - 1) / 7
    if missing > 0 { bytes.insert(contentsOf: repeatElement(0, count: missing), at: start) }
    for index in start - 1..<start - 1 + missing {
      bytes[index] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
    }
    bytes[start - 1 + missing] = UInt8(rest)
  }
}

extension OutputSpan<UInt8> {
  /// Writes a number, seven bits a byte, the least ones first.
  fileprivate mutating func append(varint: UInt64) {
    var rest = varint
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

extension MessageEncoder {
  @inlinable
  public mutating func string(_ number: Int, _ name: StaticString, _ value: inout String) {
    if !value.isEmpty { append(number, value) }
  }

  @inlinable
  public mutating func bytes(_ number: Int, _ name: StaticString, _ value: inout [UInt8]) {
    if !value.isEmpty { append(number, value) }
  }

  @inlinable
  public mutating func bool(_ number: Int, _ name: StaticString, _ value: inout Bool) {
    if value { append(number, varint: 1) }
  }

  @inlinable
  public mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32) {
    if value != 0 { append(number, signed: Int64(value)) }
  }

  @inlinable
  public mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64) {
    if value != 0 { append(number, signed: value) }
  }

  @inlinable
  public mutating func uint32(_ number: Int, _ name: StaticString, _ value: inout UInt32) {
    if value != 0 { append(number, varint: UInt64(value)) }
  }

  @inlinable
  public mutating func uint64(_ number: Int, _ name: StaticString, _ value: inout UInt64) {
    if value != 0 { append(number, varint: value) }
  }

  @inlinable
  public mutating func enumeration<Value: OpenEnumeration>(
    _ number: Int, _ name: StaticString, _ value: inout Value
  ) {
    if value.rawValue != 0 { append(number, signed: Int64(value.rawValue)) }
  }

  @inlinable
  public mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32?) {
    if let value { append(number, signed: Int64(value)) }
  }

  @inlinable
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
    guard value != nil else { return }
    let start = beginMessage(number)
    value?.encode(into: &self)
    endMessage(from: start)
  }

  @inlinable
  public mutating func strings(_ number: Int, _ name: StaticString, _ values: inout [String]) {
    for value in values { append(number, value) }
  }

  @inlinable
  public mutating func messages<Value: Message>(_ number: Int, _ name: StaticString, _ values: inout [Value]) {
    for index in values.indices { append(number, message: &values[index]) }
  }
}
