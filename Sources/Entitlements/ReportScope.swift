/// What a report is about: a window of time, and one product or all.
package struct ReportScope: Hashable, Sendable {
  /// From this moment on; nil: from the beginning.
  package var since: Moment?
  /// Before this moment; nil: without an end.
  package var until: Moment?
  /// Nil: every product.
  package var product: Identifier?

  package init(since: Moment? = nil, until: Moment? = nil, product: Identifier? = nil) {
    self.since = since
    self.until = until
    self.product = product
  }

  /// Whether a moment lies in the window: its begin is in it, its end isn't.
  package func covers(_ moment: Moment) -> Bool {
    moment >= since ?? .distantPast && until.map { moment < $0 } ?? true
  }

  /// Whether a product is one that the report is about.
  package func covers(_ product: Identifier) -> Bool { self.product.map { $0 == product } ?? true }
}

extension Moment {
  /// How many days of UTC after 1970-01-01 it lies; negative before.
  package var day: Int64 {
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    return rest < 0 ? days - 1 : days
  }
}
