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
