/// Lets other threads have the core every few dozen microseconds of a long work that makes no system calls.
///
/// A thread that is woken up, such as one that answers checks, isn't sure to run before one that is running: where the kernel thinks
/// that it had its share, it waits for the next tick, which may be 4 ms away, whatever their nice values. A thread that yields is asked
/// to wait instead, for no longer than the others need.
package struct CorePauses: Sendable {
  private let intervalNanoseconds: UInt64
  private var next: UInt64

  /// Counts from now.
  ///
  /// - Parameter everyNanoseconds: how long the work goes on at once.
  package init(everyNanoseconds interval: UInt64 = 30_000) {
    intervalNanoseconds = interval
    next = Clock.monotonicNanoseconds() + interval
  }

  /// Yields the core if it is time.
  package mutating func yieldIfDue() {
    guard Clock.monotonicNanoseconds() >= next else { return }
    Thread.yield()
    next = Clock.monotonicNanoseconds() + intervalNanoseconds
  }
}
