/// A point in time: milliseconds since 1970-01-01T00:00:00Z, as Apple counts them.
package struct Moment: Hashable, Comparable, Sendable, BitwiseCopyable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (one: Moment, other: Moment) -> Bool { one.milliseconds < other.milliseconds }

  /// Before every other moment.
  package static let distantPast = Moment(milliseconds: .min)
  /// After every other moment: the end of what never ends.
  package static let distantFuture = Moment(milliseconds: .max)

  /// What a request or a transaction may name: the years 1970 to 9999.
  package static let accepted = Moment(milliseconds: 0)...Moment(milliseconds: 253_402_300_799_999)

  /// The moment this many milliseconds earlier, not before `distantPast`.
  package func earlier(byMilliseconds milliseconds: Int64) -> Moment {
    let (difference, overflow) = self.milliseconds.subtractingReportingOverflow(milliseconds)
    return overflow ? .distantPast : Moment(milliseconds: difference)
  }
}
