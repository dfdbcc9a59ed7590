/// A place in a span of protobuf bytes that moves on as values are read.
///
/// The cursor keeps the offset alone and takes the span with every call, so that it can be stored and costs no more than a
/// pointer. It never reads outside the span that it is given, whatever its offset. It allocates nothing.
@frozen
public struct ByteCursor: Sendable {
  /// Where the next read begins, in bytes from the start of the span.
  public var offset: Int

  /// Makes a cursor that stands at an offset.
  @inlinable
  public init(offset: Int = 0) {
    self.offset = offset
  }

  /// Says whether nothing is left to read.
  @inlinable
  public func isAtEnd(of bytes: RawSpan) -> Bool {
    UInt(bitPattern: offset) >= UInt(bitPattern: bytes.byteCount)
  }

  /// Reads an integer of up to 64 bits in 1 to 10 bytes; what the tenth holds beyond 64 bits is lost, as in Google's runtimes.
  @inlinable
  public mutating func readVarint(in bytes: RawSpan) throws(MalformedMessage) -> UInt64 {
    if let byte = try readLoneByte(in: bytes) { return UInt64(byte) }
    let (value, end) = try longVarint(in: bytes)
    offset = end
    return value
  }

  /// Reads an integer of one byte, as most are; nil, and nothing is read, where it has more.
  @inlinable
  @inline(__always)
  mutating func readLoneByte(in bytes: RawSpan) throws(MalformedMessage) -> UInt8? {
    guard !isAtEnd(of: bytes) else { throw .truncated }
    // The guard keeps the offset inside the span.
    let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    guard byte < 0x80 else { return nil }
    offset &+= 1
    return byte
  }

  // What is seldom done changes a copy, here and below: a cursor whose address goes nowhere is kept in a register.
  @usableFromInline
  func longVarint(in bytes: RawSpan) throws(MalformedMessage) -> (value: UInt64, end: Int) {
    var cursor = self
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard !cursor.isAtEnd(of: bytes) else { throw .truncated }
      // The guard keeps the offset inside the span.
      let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: cursor.offset, as: UInt8.self)
      cursor.offset += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return (value, cursor.offset) }
    }
    throw .varintTooLong
  }

  /// Reads a tag, or gives nil at the end of the span.
  @inlinable
  public mutating func readTag(in bytes: RawSpan) throws(MalformedMessage) -> FieldTag? {
    guard !isAtEnd(of: bytes) else { return nil }
    return try FieldTag(rawValue: readShortVarint(in: bytes))
  }

  /// Reads a length and steps over the bytes that it counts; gives their place in the span.
  @inlinable
  public mutating func readLengthDelimited(in bytes: RawSpan) throws(MalformedMessage) -> Range<Int> {
    let length = Int(try readShortVarint(in: bytes))
    // What was read so far ends within the span.
    guard length <= bytes.byteCount &- offset else { throw .lengthBeyondEnd }
    let start = offset
    offset &+= length
    return start..<offset
  }

  /// Reads a length and steps over that many bytes of UTF-8; gives their place in the span.
  ///
  /// - Parameter number: the field's number, for the error.
  @inlinable
  public mutating func readText(_ number: Int, in bytes: RawSpan) throws(MalformedMessage) -> Range<Int> {
    let range = try readLengthDelimited(in: bytes)
    guard bytes.extracting(range).isUTF8 else { throw .invalidUTF8(field: number) }
    return range
  }

  /// Reads a varint of at most 32 bits in at most 5 bytes, as tags and lengths are.
  @inlinable
  mutating func readShortVarint(in bytes: RawSpan) throws(MalformedMessage) -> UInt32 {
    if let byte = try readLoneByte(in: bytes) { return UInt32(byte) }
    let (value, end) = try longVarint(in: bytes)
    guard end &- offset <= 5, let short = UInt32(exactly: value) else { throw .varintTooLong }
    offset = end
    return short
  }

  /// Steps over the value of a field that the reader doesn't know, as deep as the limit on nesting allows.
  ///
  /// - Parameter depth: how many messages and groups surround the field.
  @inlinable
  public mutating func skip(_ tag: FieldTag, in bytes: RawSpan, depth: Int = 0) throws(MalformedMessage) {
    self = try skipping(tag, in: bytes, depth: depth)
  }

  @usableFromInline
  func skipping(_ tag: FieldTag, in bytes: RawSpan, depth: Int) throws(MalformedMessage) -> ByteCursor {
    var cursor = self
    try cursor.skipValue(of: tag, in: bytes, depth: depth)
    return cursor
  }

  private mutating func skipValue(of tag: FieldTag, in bytes: RawSpan, depth: Int) throws(MalformedMessage) {
    switch WireType(rawValue: tag.rawValue & 7) {
    case .varint: _ = try readVarint(in: bytes)
    case .fixed64: try skip(count: 8, in: bytes)
    case .lengthDelimited: _ = try readLengthDelimited(in: bytes)
    case .groupStart: try skipGroup(tag.number, in: bytes, depth: depth + 1)
    case .groupEnd: throw .unmatchedGroup
    case .fixed32: try skip(count: 4, in: bytes)
    case nil: throw .unknownWireType
    }
  }

  private mutating func skip(count: Int, in bytes: RawSpan) throws(MalformedMessage) {
    guard count <= bytes.byteCount - offset else { throw .truncated }
    offset += count
  }

  private mutating func skipGroup(_ number: Int, in bytes: RawSpan, depth: Int) throws(MalformedMessage) {
    guard depth <= DecodingLimits.nesting else { throw .nestedTooDeeply }
    while let tag = try readTag(in: bytes) {
      if tag == FieldTag(number, .groupEnd) { return }
      try skip(tag, in: bytes, depth: depth)
    }
    throw .unmatchedGroup
  }
}

extension RawSpan {
  /// Says whether the bytes are UTF-8; ASCII is found out eight bytes at a time.
  @inlinable
  var isUTF8: Bool {
    var (offset, highBits) = (0, UInt64(0))
    // The bounds keep each load inside the span, and any bytes are an integer. The last eight may be looked at twice.
    if byteCount >= 8 {
      let last = byteCount &- 8
      while offset < last {
        unsafe highBits |= unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
        offset &+= 8
      }
      unsafe highBits |= unsafeLoadUnaligned(fromUncheckedByteOffset: last, as: UInt64.self)
    } else {
      while offset < byteCount {
        highBits |= UInt64(unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
        offset &+= 1
      }
    }
    return highBits & 0x8080_8080_8080_8080 == 0 || isUTF8BeyondASCII
  }

  @usableFromInline
  var isUTF8BeyondASCII: Bool {
    unsafe withUnsafeBytes { bytes in
      // Bytes may always be read as UInt8.
      (try? unsafe UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)) != nil
    }
  }
}
