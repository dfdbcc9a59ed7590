import CLinux
import Glibc

/// A socket on which connections arrive; any number of threads may accept from it.
package struct ListeningSocket: ~Copyable, Sendable {
  /// What an `EventQueue` watches.
  package let descriptor: Descriptor
  /// Where it listens, with the port that the kernel chose when 0 was asked for.
  package let endpoint: Endpoint

  /// Listens on an address, which may have been in use a moment ago.
  package init(on endpoint: Endpoint) throws(SystemError) {
    let kind = Int32(SOCK_STREAM.rawValue) | closeOnExec | nonBlocking
    let opened = try systemCall("open a socket") { socket(endpoint.family, kind, 0) }
    let descriptor = Descriptor(owning: opened)
    var on: Int32 = 1
    unsafe setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    _ = try systemCall("bind \(endpoint)") { unsafe endpoint.withSocketAddress { unsafe bind(opened, $0, $1) } }
    _ = try systemCall("listen on \(endpoint)") { listen(opened, Self.backlog) }
    self.endpoint = endpoint.with(port: try Self.port(of: opened))
    self.descriptor = descriptor
  }

  /// Takes the next connection that waits; nil when there is none any more.
  ///
  /// - Throws: `EMFILE` and its like, when the process or the machine can't open more; the connection goes on waiting.
  package func accept() throws(SystemError) -> Socket? {
    do throws(SystemError) {
      let accepted = try systemCall("accept a connection") {
        accept4(descriptor.rawValue, nil, nil, closeOnExec | nonBlocking)
      }
      let socket = Socket(Descriptor(owning: accepted))
      socket.sendWithoutDelay()
      return socket
    } catch {
      if Self.meansNoConnection(error.errno) { return nil }
      throw error
    }
  }

  /// Connections that wait to be accepted; the kernel caps it by net.core.somaxconn.
  private static let backlog: Int32 = 4_096

  /// True for errors of a connection that died while it waited, which accept(2) says to treat like none.
  private static func meansNoConnection(_ error: Int32) -> Bool {
    switch error {
    case EAGAIN, ECONNABORTED, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH: true
    default: false
    }
  }

  private static func port(of descriptor: Int32) throws(SystemError) -> UInt16 {
    var address = sockaddr_in6()  // the port stands at the same place for IPv4
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    _ = try systemCall("ask a socket for its port") {
      unsafe withUnsafeMutablePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
      }
    }
    return UInt16(bigEndian: address.sin6_port)
  }
}
