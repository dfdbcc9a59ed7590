/// In which letters a hexadecimal number is written.
package enum LetterCase: UInt8, Hashable, Sendable {
  case lower, upper
}

/// The 128 bits of a UUID, which compare as its text does.
package struct UUIDBits: Hashable, Comparable, Sendable, BitwiseCopyable {
  var high: UInt64 = 0
  var low: UInt64 = 0

  /// Such as `0f0e0d0c-0b0a-0908-0706-050403020100`.
  static var textByteCount: Int { 36 }

  init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  package static func < (one: UUIDBits, other: UUIDBits) -> Bool {
    one.high == other.high ? one.low < other.low : one.high < other.high
  }

  /// Reads a UUID whose letters are all of one case; one without letters counts as lower.
  static func read(_ text: Span<UInt8>) -> (bits: UUIDBits, letters: LetterCase)? {
    guard let digits = UUIDDigits(of: text) else { return nil }
    // Whatever it is that isn't a digit: only the text of a UUID is what its bits are written as.
    let bits = digits.bits
    if UUIDDigits(saying: bits, in: .lower) == digits { return (bits, .lower) }
    return UUIDDigits(saying: bits, in: .upper) == digits ? (bits, .upper) : nil
  }

  /// Whether a text says the UUID of some pairs of digits, in such letters.
  package static func isSaid(by text: Span<UInt8>, _ pairs: (UInt64, UInt64), in letters: LetterCase) -> Bool {
    guard let digits = UUIDDigits(of: text) else { return false }
    return digits == UUIDDigits(pairs, in: letters)
  }

  /// The same bits in an order in which they are soon compared with a text: a byte of the first word has a digit of the first eight in
  /// its low bits and one of the next eight above them, a byte of the second word likewise of the others.
  package var digitPairs: (UInt64, UInt64) {
    func values(_ bits: UInt64) -> UInt64 { UUIDDigits.values(of: bits) }
    return (values(high >> 32) | values(high) << 4, values(low >> 32) | values(low) << 4)
  }

  /// The bits of some pairs of digits.
  package init(digitPairs pairs: (UInt64, UInt64)) { self = UUIDDigits(pairs, in: .lower).bits }

  func text(in letters: LetterCase) -> String {
    let bytes = bytes(in: letters)
    return unsafe String(unsafeUninitializedCapacity: UUIDBits.textByteCount) { buffer in
      for index in bytes.indices { unsafe buffer[index] = bytes[index] }
      return UUIDBits.textByteCount
    }
  }

  /// The bytes of its text.
  func bytes(in letters: LetterCase) -> InlineArray<36, UInt8> {
    var bytes = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
    let digits = UUIDDigits(saying: self, in: letters)
    var places = bytes.mutableSpan
    var text = unsafe places.mutableBytes
    // Dashes stand between what is written.
    text.storeBytes(of: digits.first.littleEndian, toByteOffset: 0, as: UInt64.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: digits.second).littleEndian, toByteOffset: 9, as: UInt32.self)
    text.storeBytes(of: UInt32(digits.second >> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
    text.storeBytes(of: UInt32(truncatingIfNeeded: digits.third).littleEndian, toByteOffset: 19, as: UInt32.self)
    text.storeBytes(of: UInt32(digits.third >> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
    text.storeBytes(of: digits.fourth.littleEndian, toByteOffset: 28, as: UInt64.self)
    return bytes
  }
}

/// The 32 digits of a text that may be a UUID's, without its dashes: eight to a word, of which the first is in the lowest byte, and
/// all eight worked on at a time.
private struct UUIDDigits: Equatable {
  let first: UInt64
  let second: UInt64
  let third: UInt64
  let fourth: UInt64

  /// Takes what stands in the places of digits; nil where a text has another length, or something else in the places of dashes.
  @inline(__always)
  init?(of text: Span<UInt8>) {
    guard text.count == UUIDBits.textByteCount else { return nil }
    // Every load below ends within these 36 bytes.
    let bytes = unsafe text.bytes
    func word(_ offset: Int) -> UInt64 {
      unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
    // A dash, four digits, a dash, and two digits; and so once more.
    let (left, right) = (word(8), word(18))
    let dashes: UInt64 = 0x2D_0000_0000_2D
    guard ((left ^ dashes) | (right ^ dashes)) & 0xFF_0000_0000_FF == 0 else { return nil }
    first = word(0)
    second = left >> 8 & 0xFFFF_FFFF | word(14) << 32
    third = right >> 8 & 0xFFFF_FFFF | word(24) << 32
    fourth = word(28)
  }

  /// Writes 128 bits.
  init(saying bits: UUIDBits, in letters: LetterCase) { self.init(bits.digitPairs, in: letters) }

  /// Writes the bits of some pairs of digits.
  @inline(__always)
  init(_ pairs: (UInt64, UInt64), in letters: LetterCase) {
    let fromNine = UInt64(UInt8(ascii: letters == .lower ? "a" : "A") - UInt8(ascii: "9") - 1)
    func digits(_ pairs: UInt64) -> UInt64 {
      let values = pairs & 0x0F0F_0F0F_0F0F_0F0F
      // 1 in the byte of each that is a letter.
      let areLetters = (values &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
      return values &+ 0x3030_3030_3030_3030 &+ areLetters &* fromNine
    }
    (first, second) = (digits(pairs.0), digits(pairs.0 >> 4))
    (third, fourth) = (digits(pairs.1), digits(pairs.1 >> 4))
  }

  /// The low 32 bits as eight digits of four, the first one in the lowest byte.
  @inline(__always)
  static func values(of bits: UInt64) -> UInt64 {
    var values = UInt64(UInt32(truncatingIfNeeded: bits).byteSwapped)
    values = (values | values << 16) & 0x0000_FFFF_0000_FFFF
    values = (values | values << 8) & 0x00FF_00FF_00FF_00FF
    // In each pair of bytes the high four bits before the low ones.
    return (values >> 4 | values << 8) & 0x0F0F_0F0F_0F0F_0F0F
  }

  /// The bits that they say, where all of them are digits.
  @inline(__always)
  var bits: UUIDBits {
    func bits(_ digits: UInt64) -> UInt64 {
      // A letter's low four bits count from 1, and its bit 6 is set.
      let values = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ (digits >> 6 & 0x0101_0101_0101_0101) &* 9
      let pairs = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
      let fours = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
      return UInt64(UInt32(truncatingIfNeeded: fours | fours >> 16).byteSwapped)
    }
    return UUIDBits(high: bits(first) << 32 | bits(second), low: bits(third) << 32 | bits(fourth))
  }
}
