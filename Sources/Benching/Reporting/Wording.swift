// Figures as people read them.

extension UInt64 {
  /// Nanoseconds in a unit that suits, with three digits, such as `412 µs` or `1.25 ms`.
  package var asDuration: String {
    let units: [(UInt64, String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")]
    guard let (size, unit) = units.first(where: { self >= $0.0 }) else { return "\(self) ns" }
    return "\((Double(self) / Double(size)).inThreeDigits) \(unit)"
  }
}

extension Double {
  /// The number with as many decimals as make three digits.
  var inThreeDigits: String {
    let decimals = self < 9.995 ? 2 : self < 99.95 ? 1 : 0
    return decimal(decimals)
  }

  /// The number with so many decimals, at most 2; it isn't negative.
  func decimal(_ decimals: Int) -> String {
    let scale = decimals == 0 ? 1 : decimals == 1 ? 10 : 100
    let scaled = Int((self * Double(scale)).rounded())
    if decimals == 0 { return "\(scaled)" }
    return "\(scaled / scale)." + String(String(scaled % scale + scale).dropFirst())
  }

  /// A share as a percentage, such as `97.1 %`.
  var asPercentage: String { "\((self * 100).decimal(1)) %" }

  /// The number without decimals, grouped by thousands.
  package var grouped: String { Int(rounded()).grouped }
}

extension Int {
  /// The number grouped by thousands, such as `1,234,567`.
  package var grouped: String {
    var groups: [String] = []
    var rest = magnitude
    while rest >= 1_000 {
      groups.append(String(String(rest % 1_000 + 1_000).dropFirst()))
      rest /= 1_000
    }
    return (self < 0 ? "-" : "") + (["\(rest)"] + groups.reversed()).joined(separator: ",")
  }
}

extension String {
  /// The text with spaces behind it up to a width.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }
}
