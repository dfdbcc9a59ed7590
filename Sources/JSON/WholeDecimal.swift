extension Int64 {
  /// The value of a JSON number that is whole but written otherwise, such as `1.0`, `17e2` or `1.698e12`; nil where it has a
  /// fraction or is beyond 64 bits.
  ///
  /// It goes digit by digit, not through a `Double`, which would round what lies beyond 2⁵³.
  init?(wholeDecimal text: String) {
    let parts = text.utf8.split(maxSplits: 1) { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
    guard let significand = parts.first else { return nil }
    var digits = significand.filter { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") }
    let fraction = significand.firstIndex(of: UInt8(ascii: ".")).map { significand[$0...].count - 1 } ?? 0
    guard digits.contains(where: { $0 != UInt8(ascii: "0") }) else {
      self = 0
      return
    }
    // An exponent that no Int holds moves the point out of reach in either direction.
    guard let exponent = parts.count == 1 ? 0 : Int(Substring(parts[1])), exponent.magnitude < 1_000_000 else { return nil }
    var zeros = exponent - fraction
    while zeros < 0, digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      zeros += 1
    }
    guard (0...19).contains(zeros) else { return nil }
    let sign = significand.first == UInt8(ascii: "-") ? "-" : ""
    self.init(sign + String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: zeros))
  }
}
