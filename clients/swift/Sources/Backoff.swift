/// Waits that double from attempt to attempt and are spread by chance, so that clients don't come back all at once.
///
/// A wait is drawn evenly between nothing and its bound ("full jitter"). The bound is ``first`` after one failure, doubles with
/// each further one, and stops at ``greatest``.
///
///     options.backoff = Backoff(first: .milliseconds(10), greatest: .seconds(1))
public struct Backoff: Equatable, Sendable {
  /// The longest wait after the first failure.
  public var first: Duration
  /// The longest wait after any number of failures.
  public var greatest: Duration

  /// Makes a backoff.
  public init(first: Duration = .milliseconds(50), greatest: Duration = .seconds(5)) {
    self.first = first
    self.greatest = greatest
  }

  /// Gives the longest wait after a number of failures in a row; none after 0.
  public func bound(afterFailures failures: Int) -> Duration {
    guard failures > 0 else { return .zero }
    // 30 doublings of a millisecond are twelve days, so that nothing overflows.
    return min(greatest, first * (1 << min(failures - 1, 30)))
  }

  /// Draws the wait after a number of failures in a row.
  public func wait(afterFailures failures: Int, using random: inout some RandomNumberGenerator) -> Duration {
    bound(afterFailures: failures) * Double.random(in: 0...1, using: &random)
  }
}
