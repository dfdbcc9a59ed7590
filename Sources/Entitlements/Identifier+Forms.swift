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
    var (number, offset): (UInt64, Int) = (0, 0)
    while offset < text.count & 7 {
      let digit = text[offset] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      number = number &* 10 &+ UInt64(digit)
      offset += 1
    }
    while offset < text.count {
      guard let digits = UInt64(eightDigits: unsafe text.bytes.wordInOrder(at: offset)) else { return nil }
      number = number &* 100_000_000 &+ digits
      offset += 8
    }
    self = number
  }

  /// The number that eight bytes say in decimal, the first one in the lowest byte; all eight at a time.
  private init?(eightDigits bytes: UInt64) {
    var digits = bytes ^ 0x3030_3030_3030_3030
    // What is above nine carries into the highest bit of its byte, or has it.
    guard (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080 == 0 else { return nil }
    digits = (digits &* 10 &+ digits >> 8) & 0x00FF_00FF_00FF_00FF
    digits = (digits &* 100 &+ digits >> 16) & 0x0000_FFFF_0000_FFFF
    self = (digits &* 10_000 &+ digits >> 32) & 0xFFFF_FFFF
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
    // Two at a time: what takes long is one division after the other.
    while rest >= 100 {
      start -= 2
      let two = UInt8(truncatingIfNeeded: rest % 100)
      places[start] += two / 10
      places[start + 1] += two % 10
      rest /= 100
    }
    if rest >= 10 {
      start -= 2
      places[start] += UInt8(truncatingIfNeeded: rest / 10)
      places[start + 1] += UInt8(truncatingIfNeeded: rest % 10)
    } else {
      start -= 1
      places[start] += UInt8(truncatingIfNeeded: rest)
    }
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

extension RawSpan {
  /// Eight bytes, the first one the lowest.
  fileprivate func wordInOrder(at offset: Int) -> UInt64 {
    // The load checks its bounds, and any bytes are an integer.
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
