import Glibc

/// A lock on which threads can wait until another thread says that something changed.
///
/// `wait` and its kin are called under `withLock`, in a loop that checks the condition: a thread may wake for no reason.
@safe package final class Monitor: @unchecked Sendable {
  // Proof for @unchecked: the only state is a mutex and a condition at fixed addresses, made for use by many threads.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition = .allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    var result = unsafe pthread_condattr_init(&attributes)
    result |= unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    result |= unsafe pthread_cond_init(condition, &attributes)
    result |= unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_condattr_destroy(&attributes)
    precondition(result == 0, "a monitor could not be made")
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs the body while no other thread runs under this monitor.
  package func withLock<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let result = unsafe pthread_mutex_lock(mutex)
    precondition(result == 0, "pthread_mutex_lock failed")
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Lets go of the lock until signalled, and takes it again.
  package func wait() {
    let result = unsafe pthread_cond_wait(condition, mutex)
    precondition(result == 0, "pthread_cond_wait failed")
  }

  /// Waits like `wait()`, at most until a moment of `Clock.monotonicNanoseconds`; returns false when that moment has come.
  package func wait(untilNanoseconds deadline: UInt64) -> Bool {
    var moment = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
    let result = unsafe pthread_cond_timedwait(condition, mutex, &moment)
    precondition(result == 0 || result == ETIMEDOUT, "pthread_cond_timedwait failed")
    return result == 0
  }

  /// Wakes one waiting thread.
  package func signal() { unsafe pthread_cond_signal(condition) }

  /// Wakes every waiting thread.
  package func broadcast() { unsafe pthread_cond_broadcast(condition) }
}
