/// How often a customer's checks of one entitlement were allowed, and about when: the newer, the closer.
///
/// Checks are counted in a chain of buckets, each of one period: the newest hour with checks, then a day, then a week, then all
/// that was before. What a bucket holds is pushed on by a newer period's first check.
package struct Usage: Hashable, Sendable {
  /// Checks of one period.
  package struct Bucket: Hashable, Sendable {
    /// The hour of the newest of them, counted from 1970-01-01; 0 in an empty bucket.
    package var newestHour: Int64
    package var checks: Int64

    package init(newestHour: Int64 = 0, checks: Int64 = 0) {
      self.newestHour = newestHour
      self.checks = checks
    }
  }

  /// The hours of each bucket's period, aligned with 1970-01-01; nil: it has no begin.
  package static let periods: [Int64?] = [1, 24, 168, nil]

  /// Newest first, one for each period.
  package private(set) var buckets: [Bucket]

  /// - Precondition: there is a bucket for each period.
  package init(buckets: [Bucket] = [Bucket](repeating: Bucket(), count: Usage.periods.count)) {
    precondition(buckets.count == Usage.periods.count, "a usage has a bucket for each period")
    self.buckets = buckets
  }

  package var isEmpty: Bool { total == 0 }

  /// All checks that were allowed.
  package var total: Int64 { buckets.reduce(0) { $0 + $1.checks } }

  /// The begin of the hour of the last one; nil if there was none.
  package var lastHour: Moment? {
    buckets.first { $0.checks > 0 }.map { Moment(milliseconds: $0.newestHour * 3_600_000) }
  }

  /// How many were allowed from a moment on: an upper bound where the moment lies inside a bucket that isn't empty.
  package func checks(since moment: Moment) -> CheckCount {
    var count = CheckCount()
    for (bucket, period) in zip(buckets, Usage.periods) where bucket.checks > 0 {
      if moment.milliseconds >= (bucket.newestHour + 1) * 3_600_000 { continue }
      let begin = period.map { bucket.newestHour / $0 * $0 * 3_600_000 }
      count.checks += bucket.checks
      if begin.map({ moment.milliseconds > $0 }) ?? true { count.isExact = false }
    }
    return count
  }
}

/// A number of allowed checks, or an upper bound of it.
package struct CheckCount: Hashable, Sendable {
  package var checks: Int64
  /// False: there were at most so many.
  package var isExact: Bool

  package init(checks: Int64 = 0, isExact: Bool = true) {
    self.checks = checks
    // Of what can't be negative, at most none is none.
    self.isExact = isExact || checks == 0
  }

  package static func += (one: inout CheckCount, other: CheckCount) {
    one = CheckCount(checks: one.checks + other.checks, isExact: one.isExact && other.isExact)
  }
}
