import Glibc

/// The clocks of the machine: one tells the date, another only ever goes forward, and each thread has one of its work.
package enum Clock {
  /// The milliseconds since 1 January 1970, UTC; an administrator may set it back.
  package static func wallMilliseconds() -> Int64 {
    let now = read(CLOCK_REALTIME)
    return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// The nanoseconds since some moment before this process began; for durations and deadlines.
  package static func monotonicNanoseconds() -> UInt64 {
    nanoseconds(read(CLOCK_MONOTONIC))
  }

  /// The processor time of the calling thread until now, in nanoseconds.
  package static func threadProcessorNanoseconds() -> UInt64 {
    nanoseconds(read(CLOCK_THREAD_CPUTIME_ID))
  }

  /// The processor time of all threads of a process until now, in nanoseconds; nil where there is no such process.
  package static func processorNanoseconds(ofProcess id: pid_t) -> UInt64? {
    // Ids are below this on Linux (PID_MAX_LIMIT); a much greater one would overflow into another's clock.
    guard id > 0, id < 1 << 22 else { return nil }
    var clock = clockid_t()
    var time = timespec()
    guard unsafe clock_getcpuclockid(id, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else { return nil }
    return nanoseconds(time)
  }

  private static func nanoseconds(_ time: timespec) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var now = timespec()
    let result = unsafe clock_gettime(clock, &now)
    precondition(result == 0, "the kernel lacks a clock")
    return now
  }
}
