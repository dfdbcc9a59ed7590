// The forms in which an id is kept as a number, and how its bytes are read and written.

extension Identifier.Form {
  /// The form of a text that is kept as a number; nil where it isn't.
  init?(ofNumber text: Span<UInt8>) {
    if let number = UInt64(canonicalDecimal: text) {
      self = .number(number)
    } else if let (bits, letters) = UUIDBits.read(text) {
      self = .uuid(bits, letters)
    } else {
      return nil
    }
  }
}

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
