/// A value under its own lock, on which threads can wait until it has become what they wait for.
package final class AwaitedValue<Value: ~Copyable>: @unchecked Sendable {
  // Proof for @unchecked: the value is private, and its only ways out are bodies that run under the monitor.
  private let monitor = Monitor()
  private var value: Value

  package init(_ value: consuming sending Value) { self.value = value }

  /// Runs the body with the value, and wakes every thread that waits.
  package func update<Result: Sendable, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result
  {
    try monitor.withLock { () throws(Failure) -> Result in
      let result = try body(&value)
      monitor.broadcast()
      return result
    }
  }

  /// Waits until the body gives something, and returns that.
  package func wait<Result: Sendable>(for body: (inout Value) -> Result?) -> Result {
    monitor.withLock {
      while true {
        if let result = body(&value) { return result }
        monitor.wait()
      }
    }
  }

  /// Waits until the body gives something, at most until a moment of `Clock.monotonicNanoseconds`; nil when that has come.
  package func wait<Result: Sendable>(untilNanoseconds deadline: UInt64, for body: (inout Value) -> Result?) -> Result? {
    monitor.withLock {
      while true {
        if let result = body(&value) { return result }
        if !monitor.wait(untilNanoseconds: deadline) { return body(&value) }
      }
    }
  }
}
