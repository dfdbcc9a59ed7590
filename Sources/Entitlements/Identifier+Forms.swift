// The forms in which an id is kept as a number, and how its bytes are read and written.

extension UInt64 {
  /// The number that these bytes say in decimal, if it says them: no leading zero, not zero, and within 64 bits.
  init?(canonicalDecimal text: Span<UInt8>) {
    // A number of 19 digits is always within 64 bits.
    guard 1...19 ~= text.count, text[0] != UInt8(ascii: "0") else { return nil }
    var number: UInt64 = 0
    for index in text.indices {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      number = number &* 10 &+ UInt64(digit)
    }
    self = number
  }

  /// How many digits it has in decimal, of which 19 are the most that an id is kept as a number with.
  var decimalDigitCount: Int {
    var (count, bound): (Int, UInt64) = (1, 10)
    while count < 19, self >= bound {
      count += 1
      bound = bound &* 10
    }
    return count
  }

  /// Its digits in decimal at the end of twenty places, and where they begin.
  fileprivate var decimal: (places: InlineArray<20, UInt8>, start: Int) {
    var places = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
    var (start, rest) = (places.count, self)
    repeat {
      start -= 1
      places[start] += UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    return (places, start)
  }
}

extension Identifier {
  /// Gives its bytes, which are those of its text.
  package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    switch form {
    case .number(let number):
      let (places, start) = number.decimal
      return body(places.span.extracting(start...))
    case .uuid(let bits, let letters):
      let bytes = bits.bytes(in: letters)
      return body(bytes.span)
    case .text(let text): return body(text.utf8.span)
    }
  }
}

/// In which letters a hexadecimal number is written.
enum LetterCase: UInt8, Hashable, Sendable {
  case lower, upper
}

/// The 128 bits of a UUID, which compare as its text does.
struct UUIDBits: Hashable, Comparable, Sendable, BitwiseCopyable {
  var high: UInt64 = 0
  var low: UInt64 = 0

  /// Such as `0f0e0d0c-0b0a-0908-0706-050403020100`.
  static let textByteCount = 36

  static func < (one: UUIDBits, other: UUIDBits) -> Bool { one.high == other.high ? one.low < other.low : one.high < other.high }

  private static func isDash(_ place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }

  /// Reads a UUID whose letters are all of one case; one without letters counts as lower.
  static func read(_ text: Span<UInt8>) -> (UUIDBits, LetterCase)? {
    guard text.count == textByteCount else { return nil }
    var bits = UUIDBits()
    var (hasLower, hasUpper) = (false, false)
    for index in text.indices {
      let byte = text[index]
      if isDash(index) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): (digit, hasLower) = (byte - UInt8(ascii: "a") + 10, true)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): (digit, hasUpper) = (byte - UInt8(ascii: "A") + 10, true)
      default: return nil
      }
      bits.high = bits.high << 4 | bits.low >> 60
      bits.low = bits.low << 4 | UInt64(digit)
    }
    guard !(hasLower && hasUpper) else { return nil }
    return (bits, hasUpper ? .upper : .lower)
  }

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
    // Each sixteen bits are four digits, with a dash behind the second to the fifth of these groups.
    for group in 0..<8 {
      let bits = (group < 4 ? high : low) >> UInt64(48 - group % 4 * 16) & 0xFFFF
      let place = group * 4 + min(max(group - 1, 0), 4)
      let digits = UUIDBits.digits(of: UInt32(bits), in: letters)
      for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: digits >> UInt32(24 - 8 * index)) }
    }
    return bytes
  }

  /// Sixteen bits as four digits, the first one in the highest byte; all four at a time.
  private static func digits(of bits: UInt32, in letters: LetterCase) -> UInt32 {
    var digits = (bits | bits << 8) & 0x00FF_00FF
    digits = (digits | digits << 4) & 0x0F0F_0F0F
    // 1 in the byte of each that is a letter.
    let areLetters = (digits + 0x0606_0606) >> 4 & 0x0101_0101
    let fromNine = UInt32(UInt8(ascii: letters == .lower ? "a" : "A") - UInt8(ascii: "9") - 1)
    return digits + 0x3030_3030 + areLetters * fromNine
  }
}
