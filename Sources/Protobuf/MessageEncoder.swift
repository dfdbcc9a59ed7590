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

  /// Makes an encoder with room for some bytes, beyond which it grows as it needs to.
  public init(roomFor byteCount: Int) {
    bytes = []
    bytes.reserveCapacity(byteCount)
  }

  /// Appends what the body writes to bytes.
  @inlinable
  public static func append(to bytes: inout [UInt8], _ body: (inout MessageEncoder) -> Void) {
    var encoder = MessageEncoder(appendingTo: bytes)
    bytes = []  // leaves the encoder the only owner, so that it appends in place
    body(&encoder)
    bytes = encoder.bytes
  }

  /// The most bytes that a tag and a varint take together, and some beside them, since they are written by words.
  private static var tagAndVarintBytes: Int { 24 }

  /// Writes a field that is a number, with its tag, whatever its value.
  public mutating func append(_ number: Int, varint: UInt64) {
    bytes.append(addingCapacity: MessageEncoder.tagAndVarintBytes) { output in
      output.append(varint: UInt64(FieldTag(number, .varint).rawValue))
      output.append(varint: varint)
    }
  }

  /// Writes a field that is a number and may be negative, whatever its value.
  @inlinable
  public mutating func append(_ number: Int, signed value: Int64) {
    append(number, varint: UInt64(bitPattern: value))
  }

  /// Writes a field that is made of bytes, such as a text's, however many there are.
  public mutating func append(_ number: Int, _ value: Span<UInt8>) {
    bytes.append(addingCapacity: MessageEncoder.tagAndVarintBytes + value.count) { output in
      output.append(varint: UInt64(FieldTag(number, .lengthDelimited).rawValue))
      output.append(varint: UInt64(value.count))
      output.append(contentsOf: value)
    }
  }

  @inlinable
  mutating func append(_ number: Int, message: inout some Message) {
    append(number) { encoder in message.encode(into: &encoder) }
  }

  /// Writes a nested message of what the body writes; gives how many bytes that is.
  @inlinable
  @discardableResult
  public mutating func append(_ number: Int, _ body: (inout MessageEncoder) -> Void) -> Int {
    let start = beginMessage(number)
    body(&self)
    let byteCount = bytes.count - start
    endMessage(from: start)
    return byteCount
  }

  /// Writes a nested message's tag and keeps a byte for its length; gives where the message begins.
  @usableFromInline
  mutating func beginMessage(_ number: Int) -> Int {
    append(number, Span())
    return bytes.count
  }

  /// Writes the length into the byte kept for it, and moves the message on where it doesn't fit.
  @usableFromInline
  mutating func endMessage(from start: Int) {
    let byteCount = bytes.count - start
    let missing = (Int.bitWidth - byteCount.leadingZeroBitCount - 1) / 7
    if missing > 0 { moveEnd(from: start, by: missing) }
    var rest = byteCount
    for index in start - 1..<start - 1 + missing {
      bytes[index] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
    }
    bytes[start - 1 + missing] = UInt8(rest)
  }

  private mutating func moveEnd(from start: Int, by distance: Int) {
    let byteCount = bytes.count - start
    bytes.append(addingCapacity: distance) { output in output.append(repeating: 0, count: distance) }
    unsafe bytes.withUnsafeMutableBytes { bytes in
      // Both places are within the bytes, which are longer by the distance now.
      guard let base = bytes.baseAddress else { return }
      unsafe (base + start + distance).copyMemory(from: base + start, byteCount: byteCount)
    }
  }
}

extension OutputSpan<UInt8> {
  /// Writes a number, seven bits a byte, the least ones first.
  ///
  /// - Precondition: there is room for ten bytes.
  fileprivate mutating func append(varint: UInt64) {
    if varint < 0x80 { return append(UInt8(truncatingIfNeeded: varint)) }
    var rest = varint
    if rest < 1 << 56 { return append(longVarint: rest) }
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a number of at most 56 bits, all of its bytes at once.
  private mutating func append(longVarint number: UInt64) {
    // Twenty-eights of bits move apart, then fourteens, then sevens.
    let halves = (number & 0x0FFF_FFFF) | (number & 0x00FF_FFFF_F000_0000) &<< 4
    let fourteens = (halves & 0x0000_3FFF_0000_3FFF) | (halves & 0x0FFF_C000_0FFF_C000) &<< 2
    let sevens = (fourteens & 0x007F_007F_007F_007F) | (fourteens & 0x3F80_3F80_3F80_3F80) &<< 1
    let byteCount = (64 - number.leadingZeroBitCount + 6) / 7
    let goOn = 0x8080_8080_8080_8080 & (1 &<< UInt64(8 * (byteCount - 1)) &- 1)
    append(firstBytes: byteCount, of: sevens | goOn)
  }

  /// Writes the first bytes of a word, of which the first one is the lowest.
  ///
  /// - Precondition: there is room for a whole word.
  private mutating func append(firstBytes byteCount: Int, of word: UInt64) {
    precondition(freeCapacity >= 8, "there is room for what is written")
    unsafe withUnsafeMutableBufferPointer { target, count in
      guard let base = target.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
      count += byteCount
    }
  }

  /// Writes bytes as they are.
  ///
  /// - Precondition: there is room for them.
  fileprivate mutating func append(contentsOf source: Span<UInt8>) {
    precondition(source.count <= freeCapacity, "there is room for what is written")
    unsafe source.withUnsafeBytes { source in
      unsafe withUnsafeMutableBufferPointer { target, count in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        unsafe UnsafeMutableRawPointer(to + count).copyMemory(from: from, byteCount: source.count)
        count += source.count
      }
    }
  }
}

extension MessageEncoder {
  @inlinable
  public mutating func string(_ number: Int, _ name: StaticString, _ value: inout String) {
    if !value.isEmpty { append(number, value.utf8.span) }
  }

  @inlinable
  public mutating func bytes(_ number: Int, _ name: StaticString, _ value: inout [UInt8]) {
    if !value.isEmpty { append(number, value.span) }
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
    // Taken out and put back, which copies nothing that it holds.
    guard var message = value.take() else { return }
    append(number, message: &message)
    value = message
  }

  @inlinable
  public mutating func strings(_ number: Int, _ name: StaticString, _ values: inout [String]) {
    for value in values { append(number, value.utf8.span) }
  }

  @inlinable
  public mutating func messages<Value: Message>(_ number: Int, _ name: StaticString, _ values: inout [Value]) {
    for index in values.indices { append(number, message: &values[index]) }
  }
}
