/// Reads the fields of a message in place, where they stand exactly as `MessageEncoder` writes them: in the order of their numbers,
/// none at its default, each number in as few bytes as it takes.
///
/// Each call takes the next field if it is the one that is asked for, and allocates nothing. `isComplete` says at the end whether the
/// bytes were nothing but what was asked for: encoding what was read gives the very same bytes then. Bytes of any other form, and
/// those that are no message, are for `MessageDecoder` to tell apart.
///
/// Like a `ByteCursor` it keeps offsets alone and takes the span with every call, which is to be the same one.
@frozen
public struct OrderedFields: Sendable, BitwiseCopyable {
  /// Where the next field begins; `stopped` once something stood there that can't be read here.
  public var offset: Int
  @usableFromInline let end: Int

  @usableFromInline static let stopped = Int.max

  /// Makes a reader of the message that fills the span.
  @inlinable
  public init(filling bytes: RawSpan) { self.init(0..<bytes.byteCount) }

  @inlinable
  init(_ range: Range<Int>) { (offset, end) = (range.lowerBound, range.upperBound) }

  /// Says whether everything was read, and stood as it is written.
  @inlinable
  public var isComplete: Bool { offset == end }

  /// Takes a text that is absent where it is empty, and gives its place in the span.
  @inlinable
  @inline(__always)
  public mutating func text(_ number: Int, in bytes: RawSpan) -> Range<Int> {
    guard let range = element(number, in: bytes) else { return 0..<0 }
    if range.isEmpty { stop() }
    return range
  }

  /// Takes one of a list of texts, or a text that may be there and empty.
  @inlinable
  @inline(__always)
  public mutating func element(_ number: Int, in bytes: RawSpan) -> Range<Int>? {
    guard take(FieldTag(number, .lengthDelimited), in: bytes) else { return nil }
    let range = delimited(in: bytes)
    if !bytes.extracting(range).isUTF8 { stop() }
    return range
  }

  /// Takes a nested message, of which nothing was read yet.
  @inlinable
  @inline(__always)
  public mutating func message(_ number: Int, in bytes: RawSpan) -> OrderedFields? {
    guard take(FieldTag(number, .lengthDelimited), in: bytes) else { return nil }
    return OrderedFields(delimited(in: bytes))
  }

  /// Takes an integer that may be there and 0.
  @inlinable
  @inline(__always)
  public mutating func presentInteger(_ number: Int, in bytes: RawSpan) -> Int64? {
    guard take(FieldTag(number, .varint), in: bytes) else { return nil }
    return Int64(bitPattern: varint(in: bytes))
  }

  /// Takes an integer that is absent where it is 0.
  @inlinable
  @inline(__always)
  public mutating func integer(_ number: Int, in bytes: RawSpan) -> Int64 {
    guard let value = presentInteger(number, in: bytes) else { return 0 }
    if value == 0 { stop() }
    return value
  }

  /// Takes an integer of 32 bits, or a number of an enumeration, that may be there and 0.
  @inlinable
  @inline(__always)
  public mutating func presentShortInteger(_ number: Int, in bytes: RawSpan) -> Int32? {
    guard let value = presentInteger(number, in: bytes) else { return nil }
    guard let short = Int32(exactly: value) else {
      stop()
      return nil
    }
    return short
  }

  /// Takes a number of an enumeration that is absent where it is 0.
  @inlinable
  @inline(__always)
  public mutating func enumeration<Value: OpenEnumeration>(_ number: Int, in bytes: RawSpan) -> Value {
    guard let value = presentShortInteger(number, in: bytes) else { return Value() }
    if value == 0 { stop() }
    return Value(rawValue: value)
  }

  /// Takes a truth value that is absent where it is false.
  @inlinable
  @inline(__always)
  public mutating func bool(_ number: Int, in bytes: RawSpan) -> Bool {
    let value = integer(number, in: bytes)
    if value != 0, value != 1 { stop() }
    return value != 0
  }

  /// Says that what was read is not as it is written, so that nothing more is found.
  @inlinable
  public mutating func stop() { offset = OrderedFields.stopped }
}

extension OrderedFields {
  /// Steps over a tag if it is the next one. Tags have two bytes at most.
  @inlinable
  @inline(__always)
  mutating func take(_ tag: FieldTag, in bytes: RawSpan) -> Bool {
    let raw = tag.rawValue
    // Each load is behind a look at the end, and checks its own bounds, too.
    if raw < 0x80 {
      guard offset < end, unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == raw else { return false }
      offset += 1
    } else {
      let word = UInt16(truncatingIfNeeded: raw & 0x7F | 0x80 | (raw >> 7) << 8)
      guard end - offset >= 2,
        unsafe UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)) == word
      else { return false }
      offset += 2
    }
    return true
  }

  /// Steps over a length and the bytes that it counts; gives their place.
  @inlinable
  @inline(__always)
  mutating func delimited(in bytes: RawSpan) -> Range<Int> {
    let length = varint(in: bytes)
    guard offset <= end, length <= UInt64(end - offset) else {
      stop()
      return 0..<0
    }
    let start = offset
    offset += Int(truncatingIfNeeded: length)
    return start..<offset
  }

  /// Reads an integer in as few bytes as it takes.
  @inlinable
  @inline(__always)
  mutating func varint(in bytes: RawSpan) -> UInt64 {
    guard offset < end else {
      stop()
      return 0
    }
    let first = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    if first < 0x80 {
      offset += 1
      return UInt64(first)
    }
    let (value, next) = longVarint(in: bytes)
    offset = next
    return value
  }

  /// Reads one of two bytes and more, eight at a time where there are as many; gives where the next field begins.
  ///
  /// It changes nothing: fields whose address goes nowhere are kept in registers.
  @usableFromInline
  func longVarint(in bytes: RawSpan) -> (value: UInt64, next: Int) {
    guard end - offset >= 8 else { return varintByBytes(in: bytes) }
    let word = unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    // The highest bit of each byte that ends a number.
    let ends = ~word & 0x8080_8080_8080_8080
    guard ends != 0 else { return varintByBytes(in: bytes) }
    let bitCount = UInt64(truncatingIfNeeded: ends.trailingZeroBitCount) + 1
    let number = (word &<< (64 &- bitCount)) &>> (64 &- bitCount)
    // A last byte of zero is one too many.
    if number &>> (bitCount &- 8) == 0 { return (0, OrderedFields.stopped) }
    // Sevens of bits move together, then fourteens, then twenty-eights.
    let sevens = number & 0x7F7F_7F7F_7F7F_7F7F
    let fourteens = (sevens & 0x007F_007F_007F_007F) | (sevens & 0x7F00_7F00_7F00_7F00) &>> 1
    let halves = (fourteens & 0x0000_3FFF_0000_3FFF) | (fourteens & 0x3FFF_0000_3FFF_0000) &>> 2
    let value = (halves & 0x0FFF_FFFF) | (halves & 0x0FFF_FFFF_0000_0000) &>> 4
    return (value, offset + Int(truncatingIfNeeded: bitCount / 8))
  }

  private func varintByBytes(in bytes: RawSpan) -> (value: UInt64, next: Int) {
    var (value, shift, next): (UInt64, UInt64, Int) = (0, 0, offset)
    while shift < 70, next < end {
      let byte = unsafe bytes.unsafeLoad(fromByteOffset: next, as: UInt8.self)
      next += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        // Of the tenth byte, one bit counts.
        let isAsWritten = byte > 0 && (shift < 63 || byte == 1)
        return (value, isAsWritten ? next : OrderedFields.stopped)
      }
      shift += 7
    }
    return (0, OrderedFields.stopped)
  }
}
