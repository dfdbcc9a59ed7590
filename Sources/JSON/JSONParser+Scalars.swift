extension JSONParser {
  /// A number: a 64-bit integer where it is written as one and fits, else its text.
  mutating func number() throws(JSONError) -> JSONValue.Content {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    var isInteger = true
    if take(".") {
      isInteger = false
      try digits()
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    let text = String(decoding: source.bytes[start..<position], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    return .decimal(text)
  }

  private mutating func digits() throws(JSONError) {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) else { throw unexpected("a digit") }
    while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { position += 1 }
  }

  /// A string from its opening quote on, with its escapes resolved.
  mutating func string() throws(JSONError) -> String {
    let start = position
    position += 1
    var runStart = position
    var unescaped: [UInt8] = []
    while true {
      switch next {
      case UInt8(ascii: "\""):
        let run = source.bytes[runStart..<position]
        position += 1
        // Most strings have no escape, and then need no second buffer.
        let text = unescaped.isEmpty ? String(validating: run, as: UTF8.self) : String(validating: unescaped + run, as: UTF8.self)
        guard let text else { throw source.error("the string is not valid UTF-8", at: start) }
        return text
      case UInt8(ascii: "\\"):
        unescaped += source.bytes[runStart..<position]
        position += 1
        unescaped += try escape()
        runStart = position
      case 0..<0x20:
        guard position < source.bytes.count else { throw source.error("the string has no closing quote", at: start) }
        throw unexpected("an escape in place of a control character")
      default: position += 1
      }
    }
  }

  /// The UTF-8 of what stands behind a backslash.
  private mutating func escape() throws(JSONError) -> [UInt8] {
    let letter = next
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      position += 1
      return [letter]
    case UInt8(ascii: "u"): return Array(String(Character(try escapedScalar())).utf8)
    default: break
    }
    if take("b") { return [0x08] }
    if take("f") { return [0x0C] }
    if take("n") { return [0x0A] }
    if take("r") { return [0x0D] }
    if take("t") { return [0x09] }
    throw unexpected("a letter that makes an escape")
  }

  /// The scalar of one `\uXXXX`, or of two that are a surrogate pair; stands at the first `u`.
  private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
    let start = position - 1
    position += 1
    let unit = try fourHexDigits()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if unit < 0xDC00, take("\\u") {
      let low = try fourHexDigits()
      let pair = 0x10000 + ((unit - 0xD800) << 10) + (low & 0x3FF)
      if (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(pair) { return scalar }
    }
    throw source.error("an escaped surrogate stands alone", at: start)
  }

  private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(next)).hexDigitValue else { throw unexpected("four hexadecimal digits") }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
