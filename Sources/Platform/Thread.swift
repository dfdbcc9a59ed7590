import CLinux
import Glibc

/// A running thread of the operating system, to be joined once.
package struct Thread: ~Copyable, Sendable {
  private let handle: pthread_t

  /// Starts a thread.
  /// - Parameters:
  ///   - name: what `top -H` shows; the kernel keeps its first 15 bytes.
  ///   - nice: 0 for the priority of the process, up to 19 above it for work that waits for everything else.
  ///   - body: what the thread does; the thread ends when it returns.
  package init(named name: String, nice: Int32 = 0, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(Start(name: name, nice: nice, body: body))
    var created = pthread_t()
    let result = unsafe pthread_create(
      &created, nil,
      { argument in
        if let argument = unsafe argument { unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      unsafe start.release()
      throw SystemError(errno: result, operation: "start thread \(name)")
    }
    handle = created
  }

  /// Waits until the thread has ended.
  package consuming func join() {
    let result = pthread_join(handle, nil)
    precondition(result == 0, "pthread_join failed")
    discard self
  }

  deinit { pthread_detach(handle) }

  /// Asks the kernel to let the calling thread run for a short time at once, 0.1 ms, and in turn sooner after it was woken up: before
  /// threads that would go on for some milliseconds. No thread gets more or less of a core in all.
  package static func takesShortTurns() { latchkey_set_slice(100_000) }

  /// Lets whoever waits for the core of the calling thread have it first.
  package static func yield() { sched_yield() }

  /// How many threads can run at once: the processors that the calling thread may use, which a container or `taskset` may have
  /// made fewer than there are.
  package static var usableProcessorCount: Int { max(Int(latchkey_usable_processors()), 1) }

  /// Has the kernel end the calling thread's waits when they are over; without it, up to 50 µs later.
  package static func wakesPunctually() { latchkey_wake_punctually() }
}

/// What a new thread is told.
private final class Start: Sendable {
  private let name: String
  private let nice: Int32
  private let body: @Sendable () -> Void

  init(name: String, nice: Int32, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.nice = nice
    self.body = body
  }

  func run() {
    unsafe latchkey_name_thread(name)
    if nice != 0 {
      // On Linux a nice value belongs to a thread: 0 names the calling one, and the process's number its first.
      let which = __priority_which_t(PRIO_PROCESS.rawValue)
      setpriority(which, 0, min(getpriority(which, id_t(getpid())) + nice, 19))
    }
    body()
  }
}
