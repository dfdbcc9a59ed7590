import Platform

/// Says when it is time again to tell how far a long work is: once a second, and not before it took one.
struct Pace {
  private let now: () -> UInt64
  private var last: UInt64

  private static let intervalNanoseconds: UInt64 = 1_000_000_000

  /// - Parameter now: nanoseconds of a clock that only goes forward.
  init(now: @escaping () -> UInt64 = Clock.monotonicNanoseconds) {
    self.now = now
    last = now()
  }

  /// Whether a second has passed since the beginning, or since this was last so.
  mutating func isDue() -> Bool {
    let moment = now()
    guard moment - last >= Pace.intervalNanoseconds else { return false }
    last = moment
    return true
  }
}
