/// How long a non-renewing subscription gives access, in calendar units of UTC.
package struct AccessPeriod: Hashable, Sendable {
  package var months: Int64
  package var days: Int64

  /// The most that a period may span, so that no end overflows: a thousand years.
  package static let longestMonths: Int64 = 12_000
  package static let longestDays: Int64 = 366_000

  package init(months: Int64 = 0, days: Int64 = 0) {
    self.months = months
    self.days = days
  }

  /// Reads an ISO 8601 duration of years, months, weeks and days, such as `P30D`, `P1M` or `P1Y6M`.
  ///
  /// Returns nil for anything else: time units, fractions, an empty or a zero duration, more than a thousand years.
  package init?(iso8601 text: String) {
    var rest = text.utf8[...]
    guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
    var units: [UInt8] = [UInt8(ascii: "Y"), UInt8(ascii: "M"), UInt8(ascii: "W"), UInt8(ascii: "D")]
    var months: Int64 = 0
    var days: Int64 = 0
    while !rest.isEmpty {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard !digits.isEmpty, digits.count <= 6, let count = Int64(String(digits) ?? "") else { return nil }
      rest = rest.dropFirst(digits.count)
      guard let unit = rest.popFirst(), let place = units.firstIndex(of: unit) else { return nil }
      units.removeFirst(place + 1)
      switch unit {
      case UInt8(ascii: "Y"): months += count * 12
      case UInt8(ascii: "M"): months += count
      case UInt8(ascii: "W"): days += count * 7
      default: days += count
      }
    }
    guard months <= AccessPeriod.longestMonths, days <= AccessPeriod.longestDays, months + days > 0 else { return nil }
    self.init(months: months, days: days)
  }

  /// The duration in ISO 8601.
  package var iso8601: String { "P" + (months > 0 ? "\(months)M" : "") + (days > 0 ? "\(days)D" : "") }

  /// The moment at which a period that begins at `start` is over: months first (January 31 plus one month is the last day of
  /// February), then days, at the same time of day.
  package func end(from start: Moment) -> Moment {
    let millisecondsADay: Int64 = 86_400_000
    var day = start.milliseconds / millisecondsADay
    var rest = start.milliseconds % millisecondsADay
    if rest < 0 {
      day -= 1
      rest += millisecondsADay
    }
    var date = CalendarDate(daysSince1970: day)
    let monthsSinceYear0 = date.year * 12 + (date.month - 1) + months
    date.year = monthsSinceYear0 / 12
    date.month = monthsSinceYear0 % 12 + 1
    date.day = min(date.day, CalendarDate.daysIn(month: date.month, ofYear: date.year))
    return Moment(milliseconds: (date.daysSince1970 + days) * millisecondsADay + rest)
  }
}
