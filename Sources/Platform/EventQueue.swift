import CLinux
import Glibc

/// What a thread wants to hear about a descriptor.
package struct Interest: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Only that the connection broke, which is always reported. (Written `[]`, it costs a generic call.)
  package static var nothing: Interest { Interest(rawValue: 0) }
  package static var reading: Interest { Interest(rawValue: EPOLLIN.rawValue) }
  package static var writing: Interest { Interest(rawValue: EPOLLOUT.rawValue) }
  package static var readingAndWriting: Interest { Interest(rawValue: EPOLLIN.rawValue | EPOLLOUT.rawValue) }
  /// Of the queues that watch the same descriptor, about one is told. Can't be changed later.
  package static var exclusive: Interest { Interest(rawValue: EPOLLEXCLUSIVE.rawValue) }
}

/// One thing that the kernel reports about a watched descriptor.
package struct Event: Sendable {
  /// The number that was given when the watch began.
  package let token: UInt64
  private let flags: UInt32

  @unsafe fileprivate init(_ event: epoll_event) {
    token = unsafe event.data.u64
    flags = unsafe event.events
  }

  package var isReadable: Bool { flags & EPOLLIN.rawValue != 0 }
  package var isWritable: Bool { flags & EPOLLOUT.rawValue != 0 }
  /// True when the connection is gone in both directions; nothing more will come of it.
  package var isBroken: Bool { flags & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 }
}

/// The descriptors that one thread waits for: epoll, level-triggered.
@safe package struct EventQueue: ~Copyable {
  private let descriptor: Descriptor
  private let events: UnsafeMutableBufferPointer<epoll_event>

  package init() throws(SystemError) {
    let opened = try systemCall("make an event queue") { epoll_create1(closeOnExec) }
    descriptor = Descriptor(owning: opened)
    unsafe events = .allocate(capacity: Self.eventsPerWait)
    unsafe events.initialize(repeating: epoll_event())
  }

  deinit { unsafe events.deallocate() }

  /// Begins to watch a descriptor; closing it ends the watch.
  package func add(_ watched: borrowing Descriptor, for interest: Interest, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_ADD, watched, interest, token)
  }

  /// Changes what is wanted of a watched descriptor.
  package func change(_ watched: borrowing Descriptor, to interest: Interest, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_MOD, watched, interest, token)
  }

  /// Ends the watch of a descriptor that stays open.
  package func remove(_ watched: borrowing Descriptor) throws(SystemError) {
    try control(EPOLL_CTL_DEL, watched, [], 0)
  }

  /// Waits for the next events and returns their number; 0 when the time is over, or a signal came first.
  /// - Parameter milliseconds: how long to wait at most; nil waits without end.
  package mutating func wait(milliseconds: Int32?) -> Int {
    let count = unsafe epoll_wait(descriptor.rawValue, events.baseAddress, Int32(events.count), milliseconds ?? -1)
    if count >= 0 { return Int(count) }
    precondition(errno == EINTR, "epoll_wait fails only by a mistake of this program")
    return 0
  }

  /// Waits like `wait(milliseconds:)`, with the precision of the thread's timers (`Thread.wakesPunctually`).
  package mutating func wait(nanoseconds: UInt64) -> Int {
    var patience = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    let count = unsafe epoll_pwait2(descriptor.rawValue, events.baseAddress, Int32(events.count), &patience, nil)
    if count >= 0 { return Int(count) }
    // Kernels before 5.11 don't have the call: less than a millisecond is waited for awake there.
    if errno == ENOSYS { return wait(milliseconds: Int32(clamping: nanoseconds / 1_000_000)) }
    precondition(errno == EINTR, "epoll_pwait2 fails only by a mistake of this program")
    return 0
  }

  /// The event of that number, of those that the last `wait` counted.
  package subscript(index: Int) -> Event {
    precondition(index >= 0 && index < Self.eventsPerWait, "no such event")
    return unsafe Event(events[index])
  }

  /// Events taken in one wait: enough to spread the cost of the call, few enough to stay in the cache.
  private static let eventsPerWait = 256

  private func control(
    _ operation: Int32, _ watched: borrowing Descriptor, _ interest: Interest, _ token: UInt64
  ) throws(SystemError) {
    var event = unsafe epoll_event()
    unsafe event.events = interest.rawValue
    unsafe event.data.u64 = token
    let number = watched.rawValue
    _ = try systemCall("watch a descriptor") { unsafe epoll_ctl(descriptor.rawValue, operation, number, &event) }
  }
}
