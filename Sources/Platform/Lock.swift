import Glibc

/// A mutual exclusion lock over `pthread_mutex_t`, which ThreadSanitizer understands.
///
/// Not recursive. Hold it for a few lines that call nothing outside, and take no second lock inside.
@safe package final class Lock: @unchecked Sendable {
  // Proof for @unchecked: the only state is a mutex at a fixed address, made for use by many threads.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let result = unsafe pthread_mutex_init(mutex, nil)
    precondition(result == 0, "pthread_mutex_init failed")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs the body while no other thread runs under this lock.
  @inline(__always)
  package func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let result = unsafe pthread_mutex_lock(mutex)
    precondition(result == 0, "pthread_mutex_lock failed")
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }
}
