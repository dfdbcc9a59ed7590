/// How long something took, over many cases, in milliseconds.
package struct Lag: Hashable, Sendable {
  package private(set) var count = 0
  /// Half of the cases took no longer.
  package private(set) var median: Int64 = 0
  /// Of 20 cases 19 took no longer.
  package private(set) var percentile95: Int64 = 0
  package private(set) var longest: Int64 = 0

  package init() {}

  /// The percentiles of some times by their nearest rank: each is one of the times.
  package init(of times: [Int64]) {
    guard !times.isEmpty else { return }
    let sorted = times.sorted()
    func percentile(_ percent: Int) -> Int64 { sorted[(sorted.count * percent + 99) / 100 - 1] }
    count = sorted.count
    median = percentile(50)
    percentile95 = percentile(95)
    longest = percentile(100)
  }
}

/// How many things are how old.
package struct AgeClasses: Hashable, Sendable {
  /// Each class is of what is younger than so many days; the last one has no end.
  package static let days: [Int64?] = [1, 7, 30, 90, nil]

  /// In the order of `days`.
  package private(set) var counts = [Int](repeating: 0, count: AgeClasses.days.count)

  package init() {}

  /// Counts one more thing by its age.
  mutating func count(since begin: Moment, at now: Moment) {
    let age = now.milliseconds(since: begin)
    let index = AgeClasses.days.firstIndex { limit in limit.map { age < $0 * 86_400_000 } ?? true }
    counts[index ?? counts.endIndex - 1] += 1
  }
}

extension Moment {
  /// The milliseconds since an earlier moment; 0 since a later one.
  package func milliseconds(since earlier: Moment) -> Int64 {
    guard earlier < self else { return 0 }
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    return overflow ? .max : difference
  }
}
