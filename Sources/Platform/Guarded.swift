/// A value that can only be reached under its own lock, and so may be shared between threads.
package final class Guarded<Value: ~Copyable>: @unchecked Sendable {
  // Proof for @unchecked: the value is private, and its only way out is a body that runs under the lock.
  private let lock = Lock()
  private var value: Value

  package init(_ value: consuming sending Value) { self.value = value }

  /// Runs the body with the value while no other thread can reach it.
  package func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try lock.withLock { () throws(Failure) -> Result in try body(&value) }
  }
}
