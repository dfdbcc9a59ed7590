import Entitlements
import Testing

/// Moments, dates and periods as ISO 8601 writes them.
struct TimeTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01", 0), ("2026-01-01T00:00:00Z", 1_767_225_600_000),
      ("2026-03-01T12:34:56Z", 1_772_368_496_000), ("2026-03-01T12:34:56.7Z", 1_772_368_496_700),
      ("2026-03-01T12:34:56.78Z", 1_772_368_496_780), ("2026-03-01T12:34:56.789Z", 1_772_368_496_789),
      ("2000-02-29", 951_782_400_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ] as [(String, Int64)])
  func `a UTC time is read`(text: String, milliseconds: Int64) {
    #expect(Moment(iso8601: text) == Moment(milliseconds: milliseconds))
  }

  @Test(arguments: [
    "", "2026", "2026-01", "2026-1-1", "2026-13-01", "2026-00-10", "2026-02-29", "2100-02-29", "2026-04-31", "2026-01-00",
    "1969-12-31", "2026-01-01T00:00:00", "2026-01-01T00:00:00+00:00", "2026-01-01 00:00:00Z", "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234Z", "2026-01-01T00:00Z",
    "2026-01-01T00:00:00ZZ", "2026-01-01Z", "-026-01-01", "2026-01-01T00:00:00,5Z", "２０２６-01-01", "2026-01-01T0:00:00Z",
  ])
  func `anything else isn't read`(text: String) { #expect(Moment(iso8601: text) == nil) }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1_772_368_496_000, "2026-03-01T12:34:56Z"), (1_772_368_496_007, "2026-03-01T12:34:56.007Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (-86_400_000, "1969-12-31T00:00:00Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "10000-01-01T00:00:00Z"), (-62_167_219_200_001, "00-1-12-31T23:59:59.999Z"),
      (.max, "292278994-08-17T07:12:55.807Z"), (.min, "-292275055-05-16T16:47:04.192Z"),
    ] as [(Int64, String)])
  func `a moment is written with milliseconds only where it has some`(milliseconds: Int64, text: String) {
    #expect(Moment(milliseconds: milliseconds).iso8601 == text)
  }

  @Test func `every day of four centuries is read back as it was written`() {
    for number in stride(from: Int64(0), to: 146_097, by: 13) {
      let moment = Moment(milliseconds: number * 86_400_000 + number)
      #expect(Moment(iso8601: moment.iso8601) == moment)
    }
  }

  @Test func `an earlier moment stops at the distant past`() {
    #expect(Moment(milliseconds: 5).earlier(byMilliseconds: 7) == Moment(milliseconds: -2))
    #expect(Moment(milliseconds: .min + 1).earlier(byMilliseconds: 60_000) == .distantPast)
  }

  // MARK: - Periods

  @Test(
    arguments: [
      ("P30D", 0, 30), ("P1D", 0, 1), ("P2W", 0, 14), ("P1M", 1, 0), ("P1Y", 12, 0), ("P1Y6M", 18, 0), ("P1Y2M3W4D", 14, 25),
      ("P0Y1D", 0, 1), ("P1000Y", 12_000, 0), ("P12000M", 12_000, 0), ("P366000D", 0, 366_000),
    ] as [(String, Int64, Int64)])
  func `a period of days, weeks, months and years is read`(text: String, months: Int64, days: Int64) {
    #expect(AccessPeriod(iso8601: text) == AccessPeriod(months: months, days: days))
  }

  @Test(arguments: [
    "", "P", "30D", "p30d", "P0D", "P0Y0M", "PT1H", "P1DT1H", "P1.5M", "P-1D", "P1", "PD", "P1D1M", "P1M1M", "P1M1Y", "P1001Y",
    "P12001M", "P1000Y1M", "P366001D", "P52286W", "P1000000D", "P99999999999999999999D", "P1D ", " P1D", "P١D",
  ])
  func `any other period isn't read`(text: String) { #expect(AccessPeriod(iso8601: text) == nil) }

  @Test(arguments: ["P30D", "P1M", "P18M25D"])
  func `a period is written as it is read`(text: String) { #expect(AccessPeriod(iso8601: text)?.iso8601 == text) }

  @Test func `the longest period ends after the last moment that is accepted without overflow`() {
    let longest = AccessPeriod(months: AccessPeriod.longestMonths, days: AccessPeriod.longestDays)
    #expect(longest.end(from: Moment.accepted.upperBound) > Moment.accepted.upperBound)
    #expect(AccessPeriod(days: 1).end(from: Moment(milliseconds: -1)) == Moment(milliseconds: 86_399_999))
  }
}
