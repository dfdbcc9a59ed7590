// All system calls of the client: addresses, sockets, waiting for them, and the thread.
import CLinux
import Glibc

/// Says which call of the operating system failed, and why.
struct SystemFailure: Error, CustomStringConvertible {
  let operation: String
  let code: Int32

  init(_ operation: String, code: Int32 = errno) {
    self.operation = operation
    self.code = code
  }

  var description: String { unsafe "\(operation): \(String(cString: strerror(code)))" }
}

/// A numeric IPv4 or IPv6 address and a port.
struct SocketAddress: Sendable {
  private let storage: sockaddr_storage
  private let length: socklen_t

  /// Reads an address such as `127.0.0.1` or `::1`; nil if it is none. Names aren't looked up, `localhost` apart.
  init?(host: String, port: UInt16) {
    var (storage, host) = (sockaddr_storage(), host == "localhost" ? "127.0.0.1" : host)
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    // sockaddr_storage is made to hold each of the two, and aligned for both.
    let length = unsafe withUnsafeMutableBytes(of: &storage) { bytes -> Int? in
      let four = unsafe bytes.assumingMemoryBound(to: sockaddr_in.self).baseAddress
      if let four = unsafe four, unsafe inet_pton(AF_INET, host, &four.pointee.sin_addr) == 1 {
        unsafe four.pointee.sin_family = sa_family_t(AF_INET)
        unsafe four.pointee.sin_port = port.bigEndian
        return MemoryLayout<sockaddr_in>.size
      }
      let six = unsafe bytes.assumingMemoryBound(to: sockaddr_in6.self).baseAddress
      if let six = unsafe six, unsafe inet_pton(AF_INET6, host, &six.pointee.sin6_addr) == 1 {
        unsafe six.pointee.sin6_family = sa_family_t(AF_INET6)
        unsafe six.pointee.sin6_port = port.bigEndian
        return MemoryLayout<sockaddr_in6>.size
      }
      return nil
    }
    guard let length else { return nil }
    (self.storage, self.length) = (storage, socklen_t(length))
  }

  var family: Int32 { Int32(storage.ss_family) }

  /// Lends the address to a system call.
  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    unsafe withUnsafeBytes(of: storage) { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("an address has bytes") }
      return unsafe body(base.assumingMemoryBound(to: sockaddr.self), length)
    }
  }
}

/// A TCP connection that never blocks; closed when the last reference goes. Used by the connection's thread alone.
final class Socket {
  let descriptor: Int32

  /// How long the other side may leave bytes unacknowledged before the connection counts as lost.
  private static let unacknowledgedMilliseconds: Int32 = 20_000

  /// Begins to connect; the socket is writable when that has ended, well or not.
  init(connectingTo address: SocketAddress) throws(SystemFailure) {
    descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, Int32(IPPROTO_TCP))
    guard descriptor >= 0 else { throw SystemFailure("socket") }
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Self.unacknowledgedMilliseconds)
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    let result = unsafe address.withPointer { pointer, length in unsafe connect(descriptor, pointer, length) }
    guard result == 0 || errno == EINPROGRESS || errno == EINTR else { throw SystemFailure("connect") }
  }

  deinit { close(descriptor) }

  /// Throws why connecting failed, if it did.
  func finishConnecting() throws(SystemFailure) {
    var (code, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { throw SystemFailure("getsockopt") }
    guard code == 0 else { throw SystemFailure("connect", code: code) }
  }

  /// Reads what is there into a buffer; gives how many bytes that is, 0 at the end, or nil if nothing is there yet.
  func read(into buffer: inout [UInt8]) throws(SystemFailure) -> Int? {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0) }
      if count >= 0 { return count }
      if errno == EAGAIN { return nil }
      if errno != EINTR { throw SystemFailure("recv") }
    }
  }

  /// Writes from an offset on as much as the system takes; gives how many bytes that is.
  func write(_ bytes: [UInt8], from offset: Int) throws(SystemFailure) -> Int {
    var written = 0
    while offset + written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[(offset + written)...])
        return unsafe send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { written += count } else if errno == EAGAIN { break } else if errno != EINTR { throw SystemFailure("send") }
    }
    return written
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    // These only make the connection faster or its loss known sooner; without them it works all the same.
    _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// A bell that any thread may ring to wake the one that waits in a ``Poller``.
final class Bell: Sendable {
  fileprivate let descriptor: Int32

  init() throws(SystemFailure) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemFailure("eventfd") }
  }

  deinit { close(descriptor) }

  /// Rings; it can only fail when the bell has been rung 2⁶⁴ times and not heard.
  func ring() { _ = eventfd_write(descriptor, 1) }

  fileprivate func silence() {
    var count: UInt64 = 0
    _ = unsafe eventfd_read(descriptor, &count)
  }
}

/// Waits for sockets and a bell.
final class Poller: Sendable {
  /// What a socket is ready for; one that failed is ready for both.
  struct Readiness {
    let connection: ConnectionID
    let canRead: Bool
    let canWrite: Bool
  }

  private static let bellToken: UInt64 = 0
  private static let eventLimit = 16
  private let descriptor: Int32
  private let bell: Bell

  init(_ bell: Bell) throws(SystemFailure) {
    self.bell = bell
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw SystemFailure("epoll_create1") }
    try control(EPOLL_CTL_ADD, bell.descriptor, Self.bellToken, EPOLLIN.rawValue)
  }

  deinit { close(descriptor) }

  /// Watches a socket until it is closed, under the name of its connection, which isn't 0.
  func watch(_ socket: Socket, _ connection: ConnectionID, writable: Bool) throws(SystemFailure) {
    try control(EPOLL_CTL_ADD, socket.descriptor, connection, events(writable))
  }

  /// Changes whether a socket that is watched is watched for room to write, too.
  func rewatch(_ socket: Socket, _ connection: ConnectionID, writable: Bool) throws(SystemFailure) {
    try control(EPOLL_CTL_MOD, socket.descriptor, connection, events(writable))
  }

  /// Waits until a socket is ready, the bell rings, or the time is over, which is rounded up to milliseconds; nil: endless.
  func wait(_ timeout: Duration?) -> [Readiness] {
    let milliseconds = timeout.map { Int32(clamping: ($0.nanoseconds.clamped(to: 0...(.max / 2)) + 999_999) / 1_000_000) }
    var events = unsafe [epoll_event](repeating: epoll_event(), count: Self.eventLimit)
    let count = unsafe epoll_wait(descriptor, &events, Int32(Self.eventLimit), milliseconds ?? -1)
    guard count > 0 else { return [] }  // the time is over, or a signal came; the caller looks and waits again
    return unsafe events[..<Int(count)].compactMap { event in unsafe readiness(event.data.u64, event.events) }
  }

  private func readiness(_ token: UInt64, _ events: UInt32) -> Readiness? {
    guard token != Self.bellToken else {
      bell.silence()
      return nil
    }
    let isBroken = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
    return Readiness(
      connection: token, canRead: isBroken || events & EPOLLIN.rawValue != 0,
      canWrite: isBroken || events & EPOLLOUT.rawValue != 0)
  }

  private func events(_ writable: Bool) -> UInt32 { EPOLLIN.rawValue | (writable ? EPOLLOUT.rawValue : 0) }

  private func control(_ operation: Int32, _ target: Int32, _ token: UInt64, _ events: UInt32) throws(SystemFailure) {
    var event = unsafe epoll_event(events: events, data: epoll_data_t(u64: token))
    guard unsafe epoll_ctl(descriptor, operation, target, &event) == 0 else { throw SystemFailure("epoll_ctl") }
  }
}

/// Starts a thread of its own for work that ends by itself.
func startThread(_ work: @escaping @Sendable () -> Void) throws(SystemFailure) {
  final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  // The thread takes over the one reference that is given to it.
  let context = unsafe Unmanaged.passRetained(Work(work))
  let code = unsafe pthread_create(
    &thread, nil,
    { context in
      if let context = unsafe context { unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }, context.toOpaque())
  guard code == 0 else {
    unsafe context.release()
    throw SystemFailure("pthread_create", code: code)
  }
  pthread_detach(thread)
}

/// A value that can only be reached under its own lock: a mutex of the operating system, which ThreadSanitizer understands.
@safe final class Guarded<Value>: @unchecked Sendable {
  // Proof for @unchecked: the value is private, and its only way out is a body that runs under the mutex, which stays in place.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  init(_ value: Value) {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    self.value = value
    let code = unsafe pthread_mutex_init(mutex, nil)
    precondition(code == 0, "pthread_mutex_init failed")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs the body with the value while no other thread can reach it.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    let code = unsafe pthread_mutex_lock(mutex)
    precondition(code == 0, "pthread_mutex_lock failed")
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}

extension Int64 {
  fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
