import Dispatch
import Glibc
import LatchkeyWire
import Protobuf
import TestSupport

/// A server of raw bytes on a loopback socket, which a test plays itself, step by step.
///
/// Each blocking step runs on the peer's own queue and fails after `Patience`, so that a broken client fails its test. It takes so
/// long because the client's tasks may wait for other tests, which run at the same time on as few threads as there are cores.
final class FakePeer: Sendable {
  let port: Int
  private let listener: Int32
  private let queue = DispatchQueue(label: "peer")

  /// Listens on a free port of 127.0.0.1, or on a given one.
  init(port wanted: Int = 0) {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var yes: Int32 = 1
    _ = unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(wanted).bigEndian)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(listener, address, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    precondition(isListening, "a loopback port")
    port = Int(UInt16(bigEndian: address.sin_port))
    setTimeout(listener)
  }

  deinit { close(listener) }

  /// Takes the client's next connection and its Hello, which is left unanswered.
  func accept() async -> PeerConnection {
    let listener = listener
    let descriptor = await blocking(queue) { Glibc.accept(listener, nil, nil) }
    precondition(descriptor >= 0, "the client connects")
    setTimeout(descriptor)
    let connection = PeerConnection(descriptor)
    let hello = await connection.receive()
    precondition(hello.request.methodNumber == 10, "Hello comes first")
    return connection
  }

  /// Takes the client's next connection and answers its Hello.
  func welcome(_ limits: Limits = .published) async -> PeerConnection {
    let connection = await accept()
    connection.answer(1, HelloResponse.with { $0.limits = limits })
    return connection
  }
}

/// One connection of a ``FakePeer``.
final class PeerConnection: Sendable {
  /// What a client sent in one frame.
  struct Incoming: Sendable {
    let streamID: UInt32
    let type: UInt8
    let data: [UInt8]

    /// The envelope, if it is a request.
    var request: Request { (try? Request(decoding: data)) ?? Request() }
    /// The message inside, if it is a check.
    var check: CheckAccessRequest { (try? CheckAccessRequest(decoding: request.payload)) ?? CheckAccessRequest() }
  }

  private let descriptor: Int32
  private let queue = DispatchQueue(label: "connection")

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Awaits one frame; its type is 0 when the client closed the connection or sent nothing in time.
  func receive() async -> Incoming {
    let descriptor = descriptor
    return await blocking(queue) {
      let header = readBytes(descriptor, 10)
      guard header.count == 10 else { return Incoming(streamID: 0, type: 0, data: []) }
      let (length, streamID) = (bigEndian(header[0..<4]), bigEndian(header[4..<8]))
      return Incoming(streamID: streamID, type: header[8], data: readBytes(descriptor, Int(length)))
    }
  }

  /// Sends bytes as they are.
  func send(_ bytes: [UInt8]) {
    _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Sends one frame, its header written by hand.
  func send(_ streamID: UInt32, type: UInt8, flags: UInt8 = 0, _ data: [UInt8]) {
    send(bytes(UInt32(data.count)) + bytes(streamID) + [type, flags] + data)
  }

  func answer(_ streamID: UInt32, _ message: some Message) { send(streamID, type: 2, Response(message).encoded()) }

  func refuse(_ streamID: UInt32, _ code: StatusCode) { send(streamID, type: 2, Response(Status(code)).encoded()) }

  /// Ends the connection at once, for both sides.
  func hangUp() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// Runs a blocking step beside the tasks.
private func blocking<Result: Sendable>(_ queue: DispatchQueue, _ step: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: step()) } }
}

private func readBytes(_ descriptor: Int32, _ count: Int) -> [UInt8] {
  guard count > 0 else { return [] }  // recv would wait for more even so
  var bytes = [UInt8](repeating: 0, count: count)
  let read = unsafe recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
  return Array(bytes.prefix(max(0, read)))
}

private func setTimeout(_ descriptor: Int32) {
  var timeout = timeval(tv_sec: Int(Patience.milliseconds) / 1_000, tv_usec: 0)
  _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
}

private func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

private func bytes(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
