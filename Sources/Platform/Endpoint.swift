import CLinux
import Glibc

/// A numeric TCP address: an IPv4 or IPv6 address and a port.
///
/// Names are not resolved, so that a static binary needs no resolver.
package struct Endpoint: Sendable, Equatable, CustomStringConvertible {
  /// The address in digits, without brackets.
  package let host: String
  /// The port; 0 asks the kernel for a free one.
  package let port: UInt16

  private let isIPv6: Bool

  /// Reads `127.0.0.1:7400` or `[::1]:7400`; nil when the text is anything else.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    guard let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    let address = text[..<colon]
    let isBracketed = address.hasPrefix("[") && address.hasSuffix("]")
    let host = String(isBracketed ? address.dropFirst().dropLast() : address)
    var parsed = in6_addr()
    guard unsafe inet_pton(isBracketed ? AF_INET6 : AF_INET, host, &parsed) == 1 else { return nil }
    self.init(host: host, port: port, isIPv6: isBracketed)
  }

  /// A port of this machine that no other machine can reach.
  package static func loopback(port: UInt16 = 0) -> Endpoint {
    Endpoint(host: "127.0.0.1", port: port, isIPv6: false)
  }

  private init(host: String, port: UInt16, isIPv6: Bool) {
    self.host = host
    self.port = port
    self.isIPv6 = isIPv6
  }

  /// True when only this machine can reach the address.
  package var isLoopback: Bool {
    var address = in6_addr()
    guard unsafe inet_pton(family, host, &address) == 1 else { return false }
    return unsafe withUnsafeBytes(of: address) { bytes in
      isIPv6 ? unsafe bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 : unsafe bytes[0] == 127
    }
  }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The same address with another port.
  func with(port: UInt16) -> Endpoint { Endpoint(host: host, port: port, isIPv6: isIPv6) }

  var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

  /// Calls the body with the address in the kernel's form.
  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
      return unsafe Self.withKernelForm(of: &address, body)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    unsafe inet_pton(AF_INET, host, &address.sin_addr)
    return unsafe Self.withKernelForm(of: &address, body)
  }

  private static func withKernelForm<Address, Result>(
    of address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
