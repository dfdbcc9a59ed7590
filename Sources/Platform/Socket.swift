import CLinux
import Glibc

/// What came of asking a socket that never blocks to move bytes.
package enum Transfer: Equatable, Sendable {
  /// So many bytes moved, at least one.
  case moved(Int)
  /// Nothing can move before the socket is ready again.
  case wouldBlock
  /// The peer has said that it sends nothing more.
  case ended
  /// The connection is gone: reset by the peer, or timed out.
  case broken
}

/// One end of a TCP connection that never blocks and raises no SIGPIPE.
package struct Socket: ~Copyable, Sendable {
  /// What an `EventQueue` watches.
  package let descriptor: Descriptor

  /// Takes over a connected descriptor, which must have been made non-blocking.
  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Opens a connection; used by tests and by commands that ask a running server. Waits until the peer has accepted it.
  package static func connect(to endpoint: Endpoint) throws(SystemError) -> Socket {
    let opened = try systemCall("open a socket") { socket(endpoint.family, Int32(SOCK_STREAM.rawValue) | closeOnExec, 0) }
    let connected = Socket(Descriptor(owning: opened))
    _ = try systemCall("connect to \(endpoint)") {
      unsafe endpoint.withSocketAddress { unsafe Glibc.connect(opened, $0, $1) }
    }
    connected.sendWithoutDelay()
    let flags = fcntl(opened, F_GETFL)
    _ = try systemCall("make a socket non-blocking") { fcntl(opened, F_SETFL, flags | O_NONBLOCK) }
    return connected
  }

  /// Reads what has arrived, at most as much as the memory holds.
  @unsafe package func read(into memory: UnsafeMutableRawBufferPointer) -> Transfer {
    while true {
      let count = unsafe recv(descriptor.rawValue, memory.baseAddress, memory.count, 0)
      if count > 0 { return .moved(count) }
      if count == 0 { return .ended }
      if errno != EINTR { return outcomeOfFailure() }
    }
  }

  /// Hands the kernel as many of the bytes as it takes.
  package func write(_ bytes: RawSpan) -> Transfer {
    while true {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe send(descriptor.rawValue, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { return .moved(count) }
      if errno != EINTR { return outcomeOfFailure() }
    }
  }

  /// Tells the peer that nothing more will be sent; what it sends can still be read.
  package func endWriting() { shutdown(descriptor.rawValue, Int32(SHUT_WR)) }

  /// Makes the coming close a reset, which leaves nothing behind in the kernel.
  package func resetWhenClosed() {
    var option = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(descriptor.rawValue, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Bounds what the kernel keeps for this connection in one direction each, so that tests need not fill megabytes.
  package func setKernelBuffers(bytes: Int32) {
    var bytes = bytes
    unsafe setsockopt(descriptor.rawValue, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    unsafe setsockopt(descriptor.rawValue, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Sends small answers at once instead of waiting for more (Nagle's algorithm).
  func sendWithoutDelay() {
    var on: Int32 = 1
    unsafe setsockopt(descriptor.rawValue, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private func outcomeOfFailure() -> Transfer {
    precondition(errno != EBADF, "bad file descriptor")
    return errno == EAGAIN ? .wouldBlock : .broken
  }
}

// Linux defines SOCK_CLOEXEC and SOCK_NONBLOCK as the numbers of these flags; Swift's Glibc shows only these.
let closeOnExec = O_CLOEXEC
let nonBlocking = O_NONBLOCK
