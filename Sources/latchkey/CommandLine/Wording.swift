import Entitlements
import LatchkeyWire

/// A moment, under a name that the wire doesn't use.
typealias Time = Moment

extension Int64 {
  /// Milliseconds since 1970 as a time in UTC.
  var inUTC: String { Time(milliseconds: self).iso8601 }

  /// Thousandths of a currency's unit with at least two digits of fraction, such as `9.99`.
  var inUnits: String {
    let thousandths = String((magnitude % 1_000) + 1_000).dropFirst()
    let fraction = thousandths.hasSuffix("0") ? thousandths.dropLast() : thousandths
    return (self < 0 ? "-" : "") + "\(magnitude / 1_000).\(fraction)"
  }

  /// Millionths as a decimal without needless zeros, such as `0.024`.
  var inMillionths: String {
    var fraction = String(String(magnitude % 1_000_000 + 1_000_000).dropFirst())
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return (self < 0 ? "-" : "") + "\(magnitude / 1_000_000)" + (fraction.isEmpty ? "" : ".\(fraction)")
  }

  /// Reads a decimal above zero with six digits of fraction at most as millionths; nil for anything else.
  init?(micros text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count > 1 ? parts[1] : "0"
    guard (1...6).contains(fraction.count), (1...9).contains(parts[0].count),
      (parts[0] + fraction).allSatisfy({ $0.isASCII && $0.isNumber }), let whole = Int64(parts[0]),
      let rest = Int64(fraction + String(repeating: "0", count: 6 - fraction.count)), whole + rest > 0
    else { return nil }
    self = whole * 1_000_000 + rest
  }

  /// Milliseconds as the two greatest units of a time, such as `2 d 3 h`, `4 min 10 s` or `350 ms`.
  var asDuration: String {
    let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")]
    guard let first = units.firstIndex(where: { self >= $0.0 }) else { return "0 ms" }
    var rest = self
    let parts = units[first..<Swift.min(first + 2, units.count)].compactMap { length, name -> String? in
      let (count, remainder) = rest.quotientAndRemainder(dividingBy: length)
      rest = remainder
      return count > 0 ? "\(count) \(name)" : nil
    }
    return parts.joined(separator: " ")
  }
}

/// An answer to a check in words, such as `ALLOWED (PURCHASED, until 2026-04-01T00:00:00Z)` or `DENIED (REFUNDED)`.
func inWords(allowed: Bool, reason: LatchkeyWire.Reason, validUntil: Int64?) -> String {
  guard allowed else { return "DENIED (\(reason))" }
  return "ALLOWED (\(reason), \(validUntil.map { "until \($0.inUTC)" } ?? "never ending"))"
}

extension LatchkeyWire.CheckAccessResponse {
  var inWords: String { latchkey.inWords(allowed: allowed, reason: reason, validUntil: validUntilMilliseconds) }
}

extension LatchkeyWire.EntitlementAnswer {
  var inWords: String {
    "\(entitlement): " + latchkey.inWords(allowed: allowed, reason: reason, validUntil: validUntilMilliseconds)
  }
}

extension LatchkeyWire.AccessChange {
  var inWords: String { "\(customerID): \(entitlement) is \(allowed ? "allowed" : "denied") now (\(reason))" }
}

/// A count with its noun, such as `1 customer` or `2 customers`.
func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
