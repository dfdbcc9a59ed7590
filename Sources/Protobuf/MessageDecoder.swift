/// The visitor that fills a message from its bytes.
///
/// It holds the tag of the field at hand. Each visit takes values for as long as that tag is its own, so a message whose
/// fields come in ascending order is decoded in one pass over its list. Passes repeat while they take anything; a field
/// that a whole pass left alone is unknown, and is skipped.
@frozen
public struct MessageDecoder: FieldVisitor {
  @usableFromInline let source: [UInt8]
  @usableFromInline var cursor = ByteCursor()
  /// Where the message at hand ends; never beyond the bytes.
  @usableFromInline var end: Int
  /// The tag of the field at hand, nil at the end of the message.
  @usableFromInline var tag: FieldTag?
  @usableFromInline var depth = 0
  @usableFromInline var elementsLeft: Int

  /// Makes a decoder of bytes that hold one message.
  @inlinable
  public init(_ bytes: [UInt8], elementLimit: Int = DecodingLimits.elements) {
    source = bytes
    end = bytes.count
    elementsLeft = elementLimit
  }

  /// Merges the fields between the cursor and the end into a message.
  @inlinable
  public mutating func decode<Value: Message>(into message: inout Value) throws(MalformedMessage) {
    try advance()
    while let unseen = tag {
      let start = cursor.offset
      try message.visit(&self)
      guard cursor.offset == start else { continue }
      let depth = depth
      try read { cursor, bytes throws(MalformedMessage) in try cursor.skip(unseen, in: bytes, depth: depth) }
      try advance()
    }
  }

  /// Lets the cursor read in the message at hand.
  @inlinable
  mutating func read<Value>(
    _ body: (inout ByteCursor, RawSpan) throws(MalformedMessage) -> Value
  ) throws(MalformedMessage) -> Value {
    let source = source  // a span may not borrow from the decoder while its cursor moves
    // Bytes have no padding that could be read uninitialised.
    return try unsafe body(&cursor, source.span.bytes.extracting(0..<end))
  }

  /// Reads the next tag.
  @inlinable
  mutating func advance() throws(MalformedMessage) {
    tag = try read { cursor, bytes throws(MalformedMessage) in try cursor.readTag(in: bytes) }
  }

  @inlinable
  func isAt(_ number: Int, _ type: WireType) -> Bool {
    tag == FieldTag(number, type)
  }

  @inlinable
  mutating func takeVarint() throws(MalformedMessage) -> UInt64 {
    let value = try read { cursor, bytes throws(MalformedMessage) in try cursor.readVarint(in: bytes) }
    try advance()
    return value
  }

  @inlinable
  mutating func takeBytes() throws(MalformedMessage) -> Range<Int> {
    let range = try read { cursor, bytes throws(MalformedMessage) in try cursor.readLengthDelimited(in: bytes) }
    try advance()
    return range
  }

  @inlinable
  mutating func takeString(_ number: Int) throws(MalformedMessage) -> String {
    let range = try takeBytes()
    do {
      return String(copying: try UTF8Span(validating: source.span.extracting(range)))
    } catch {
      throw .invalidUTF8(field: number)
    }
  }

  @inlinable
  mutating func takeMessage<Value: Message>(into message: inout Value) throws(MalformedMessage) {
    guard depth < DecodingLimits.nesting else { throw .nestedTooDeeply }
    let range = try read { cursor, bytes throws(MalformedMessage) in try cursor.readLengthDelimited(in: bytes) }
    let outerEnd = end
    (cursor.offset, end, depth) = (range.lowerBound, range.upperBound, depth + 1)
    try decode(into: &message)
    (end, depth) = (outerEnd, depth - 1)
    try advance()
  }

  @inlinable
  mutating func countElement() throws(MalformedMessage) {
    guard elementsLeft > 0 else { throw .tooManyElements }
    elementsLeft -= 1
  }
}
