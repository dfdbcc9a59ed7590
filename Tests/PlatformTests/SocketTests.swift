import Platform
import Testing

@Suite("Sockets and events")
struct SocketTests {
  @Test(
    "A numeric address and a port are read as they are written",
    arguments: [("127.0.0.1:7400", true), ("127.9.9.9:1", true), ("[::1]:0", true), ("0.0.0.0:80", false), ("[::]:80", false)])
  func endpoint(text: String, isLoopback: Bool) throws {
    let endpoint = try #require(Endpoint(text))
    #expect(endpoint.description == text)
    #expect(endpoint.isLoopback == isLoopback)
  }

  @Test(
    "What is no numeric address with a port is no endpoint",
    arguments: [
      "", ":", "localhost:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[127.0.0.1]:80",
    ])
  func notAnEndpoint(text: String) {
    #expect(Endpoint(text) == nil)
  }

  @Test("Bytes travel both ways, and the end is heard", arguments: ["127.0.0.1:0", "[::1]:0"])
  func travel(address: String) throws {
    let listener = try ListeningSocket(on: try #require(Endpoint(address)))
    #expect(listener.endpoint.port != 0)
    let client = try Socket.connect(to: listener.endpoint)
    let server = try acceptOne(from: listener)
    #expect(throws: NothingWaits.self) { _ = try acceptOne(from: listener) }
    #expect(receive(from: server) == .wouldBlock)
    #expect(write([1, 2, 3], to: client) == .moved(3))
    try waitUntilReadable(server)
    #expect(receive(from: server) == .moved(3))
    server.endWriting()
    try waitUntilReadable(client)
    #expect(receive(from: client) == .ended)
  }

  @Test("A connection that was reset is broken, and raises no signal")
  func reset() throws {
    let listener = try ListeningSocket(on: .loopback())
    let client = try Socket.connect(to: listener.endpoint)
    do {
      let server = try acceptOne(from: listener)
      server.resetWhenClosed()
    }
    try waitUntilReadable(client)
    #expect(receive(from: client) == .broken)
    #expect(write([1], to: client) == .broken)
  }

  @Test("Rings before a thread wakes count as one, and none is lost")
  func wakeUp() throws {
    let bell = try WakeUp()
    var queue = try EventQueue()
    try queue.add(bell.descriptor, for: .reading, token: 7)
    #expect(queue.wait(milliseconds: 0) == 0)
    #expect(queue.wait(nanoseconds: 1_000) == 0)
    bell.ring()
    bell.ring()
    #expect(queue.wait(nanoseconds: 3_600_000_000_000) == 1)
    #expect(queue[0].token == 7)
    #expect(queue.wait(milliseconds: nil) == 1)
    #expect(queue[0].token == 7 && queue[0].isReadable)
    bell.clear()
    #expect(queue.wait(milliseconds: 0) == 0)
  }

  struct NothingWaits: Error {}

  private func acceptOne(from listener: borrowing ListeningSocket) throws -> Socket {
    guard let socket = try listener.accept() else { throw NothingWaits() }
    return socket
  }

  private func write(_ bytes: [UInt8], to socket: borrowing Socket) -> Transfer {
    var queue = ByteQueue()
    queue.append(bytes)
    return queue.write(to: socket)
  }

  private func receive(from socket: borrowing Socket) -> Transfer {
    var queue = ByteQueue()
    return queue.read(from: socket, atMost: 100)
  }

  private func waitUntilReadable(_ socket: borrowing Socket) throws {
    var queue = try EventQueue()
    try queue.add(socket.descriptor, for: .reading, token: 0)
    #expect(queue.wait(milliseconds: 10_000) == 1)
  }
}
