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

  static func isDash(_ place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }

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
    let digits: StaticString = letters == .lower ? "0123456789abcdef" : "0123456789ABCDEF"
    return unsafe String(unsafeUninitializedCapacity: UUIDBits.textByteCount) { buffer in
      var rest = self
      for index in stride(from: UUIDBits.textByteCount - 1, through: 0, by: -1) {
        if UUIDBits.isDash(index) {
          unsafe buffer[index] = UInt8(ascii: "-")
          continue
        }
        unsafe buffer[index] = digits.utf8Start[Int(truncatingIfNeeded: rest.low & 0xF)]
        rest.low = rest.low >> 4 | rest.high << 60
        rest.high >>= 4
      }
      return UUIDBits.textByteCount
    }
  }
}
