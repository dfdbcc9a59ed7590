extension Moment {
  /// Reads an ISO 8601 time in UTC: `2026-03-01T00:00:00Z`, with up to three digits of a second's fraction, or a bare date.
  ///
  /// Returns nil for anything else, other offsets included, and outside the years 1970 to 9999.
  package init?(iso8601 text: String) {
    let bytes = Array(text.utf8)
    func digits(_ range: Range<Int>) -> Int64? {
      guard range.upperBound <= bytes.count else { return nil }
      var value: Int64 = 0
      for byte in bytes[range] {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      return value
    }
    func holds(_ character: Unicode.Scalar, at index: Int) -> Bool {
      index < bytes.count && bytes[index] == UInt8(ascii: character)
    }
    guard let year = digits(0..<4), holds("-", at: 4), let month = digits(5..<7), holds("-", at: 7), let day = digits(8..<10)
    else { return nil }
    let date = CalendarDate(year: year, month: month, day: day)
    guard year >= 1970, date.isReal else { return nil }
    let midnight = date.daysSince1970 * 86_400_000
    if bytes.count == 10 {
      self.init(milliseconds: midnight)
      return
    }
    guard holds("T", at: 10), let hour = digits(11..<13), holds(":", at: 13), let minute = digits(14..<16), holds(":", at: 16),
      let second = digits(17..<19), hour < 24, minute < 60, second < 60, holds("Z", at: bytes.count - 1)
    else { return nil }
    var milliseconds: Int64 = 0
    if bytes.count > 20 {
      let fraction = 20..<(bytes.count - 1)
      guard holds(".", at: 19), (1...3).contains(fraction.count), let value = digits(fraction) else { return nil }
      milliseconds = value * [100, 10, 1][fraction.count - 1]
    }
    self.init(milliseconds: midnight + ((hour * 60 + minute) * 60 + second) * 1_000 + milliseconds)
  }

  /// The moment in UTC ISO 8601, with milliseconds only where it has some. Total: the most extreme moments have a text too.
  package var iso8601: String {
    var (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    if rest < 0 {
      days -= 1
      rest += 86_400_000
    }
    let date = CalendarDate(daysSince1970: days)
    let text = Moment.text(of: date, milliseconds: rest)
    return 0...9_999 ~= date.year ? text : padded(date.year, 4) + text.dropFirst(4)
  }

  /// A date and the milliseconds since its midnight, of whose year four digits are written.
  private static func text(of date: CalendarDate, milliseconds: Int64) -> String {
    unsafe String(unsafeUninitializedCapacity: 24) { buffer in
      var end = 0
      func write(_ number: Int64, digits: Int, then mark: Unicode.Scalar) {
        var rest = number
        for index in stride(from: end + digits - 1, through: end, by: -1) {
          unsafe buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        unsafe buffer[end + digits] = UInt8(ascii: mark)
        end += digits + 1
      }
      write(max(date.year, 0), digits: 4, then: "-")
      write(date.month, digits: 2, then: "-")
      write(date.day, digits: 2, then: "T")
      write(milliseconds / 3_600_000, digits: 2, then: ":")
      write(milliseconds / 60_000 % 60, digits: 2, then: ":")
      let fraction = milliseconds % 1_000
      write(milliseconds / 1_000 % 60, digits: 2, then: fraction == 0 ? "Z" : ".")
      if fraction > 0 { write(fraction, digits: 3, then: "Z") }
      return end
    }
  }
}

extension CalendarDate {
  /// The date in ISO 8601, such as `2026-03-01`.
  package var iso8601: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

/// A number with zeros before it, up to a width.
private func padded(_ value: Int64, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
