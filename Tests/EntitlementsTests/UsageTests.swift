import Entitlements
import Testing

/// Counts of allowed checks, and from when they are.
struct UsageTests {
  private func hour(_ moment: Moment) -> Int64 { moment.milliseconds / 3_600_000 }

  /// Checks on a day at an hour: 3 in the newest hour, 5 earlier that day, 7 earlier that week, 11 before.
  private var usage: Usage {
    Usage(buckets: [
      .init(newestHour: hour(day(20)) + 15, checks: 3), .init(newestHour: hour(day(20)) + 9, checks: 5),
      .init(newestHour: hour(day(17)) + 4, checks: 7), .init(newestHour: hour(day(2)), checks: 11),
    ])
  }

  private static let hourLength: Int64 = 3_600_000

  @Test(
    arguments: [
      // After the newest hour; at its begin; inside it; in the gap before it; inside the day's part; at the day's begin; in the gap
      // before the week's part; inside the week; in the gap before the rest; inside the rest.
      (day(20, plus: 16 * hourLength), 0, true), (day(20, plus: 15 * hourLength), 3, true),
      (day(20, plus: 15 * hourLength + 1), 3, false), (day(20, plus: 10 * hourLength), 3, true),
      (day(20, plus: 9 * hourLength), 8, false), (day(20), 8, true), (day(17, plus: 5 * hourLength), 8, true),
      (day(17), 15, false), (day(10), 15, true), (day(2), 26, false), (.distantPast, 26, false),
    ])
  func `checks since a moment are exact where no bucket has to be split`(moment: Moment, checks: Int64, isExact: Bool) {
    #expect(usage.checks(since: moment) == CheckCount(checks: checks, isExact: isExact))
  }

  @Test func `the total is all of it, and the last use is that of the newest bucket that isn't empty`() {
    #expect(usage.total == 26)
    #expect(usage.lastHour == day(20, plus: 15 * UsageTests.hourLength))
    #expect(Usage().lastHour == nil)
    #expect(Usage().isEmpty)
  }

  @Test func `at most none is none`() { #expect(CheckCount(checks: 0, isExact: false).isExact) }
}
