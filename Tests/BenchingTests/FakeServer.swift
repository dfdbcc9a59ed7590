import Platform
import TestSupport
import Testing

@testable import Benching

/// A server on a loopback port that speaks as much of Redis as a test has it say, on one connection.
final class FakeServer: Sendable {
  let endpoint: Endpoint

  /// What it does after it has read.
  enum Step: Sendable {
    case send(String)
    /// Sends each byte by itself.
    case sendInPieces(String)
    /// Reads and says nothing for so many milliseconds, then sends.
    case stall(milliseconds: Int32, String)
    case wait
    case end
  }

  /// How many bytes a GET of a flag has.
  private static let callBytes = RedisDialect().prepared(.check, batch: 1).bytes.count

  private let listener: ListeningSocket
  private let step: @Sendable (_ calls: Int, _ answered: inout Int) -> Step

  /// Serves one connection.
  /// - Parameter step: is told how many calls came, and how many of them it has answered, which it counts itself.
  init(_ step: @escaping @Sendable (_ calls: Int, _ answered: inout Int) -> Step) throws {
    self.step = step
    listener = try ListeningSocket(on: .loopback())
    endpoint = listener.endpoint
    _ = try Thread(named: "fake server") { [self] in try? serve() }
  }

  private func serve() throws {
    var queue = try EventQueue()
    try queue.add(listener.descriptor, for: .reading, token: 0)
    _ = queue.wait(milliseconds: Patience.milliseconds)
    guard let socket = try listener.accept() else { return }
    try queue.remove(listener.descriptor)
    try queue.add(socket.descriptor, for: .reading, token: 1)
    var incoming = ByteQueue()
    var answered = 0
    while queue.wait(milliseconds: Patience.milliseconds) > 0 {
      guard case .moved = incoming.read(from: socket, atMost: 1 << 16) else { return }
      switch step(incoming.count / FakeServer.callBytes, &answered) {
      case .wait: continue
      case .end: return
      case .send(let text): send(text, to: socket)
      case .sendInPieces(let text): for byte in text { send(String(byte), to: socket) }
      case .stall(let milliseconds, let text):
        var nothing = try EventQueue()
        _ = nothing.wait(milliseconds: milliseconds)
        send(text, to: socket)
      }
    }
  }

  private func send(_ text: String, to socket: borrowing Socket) {
    var outgoing = ByteQueue()
    outgoing.append(Array(text.utf8))
    while !outgoing.isEmpty {
      let transfer = outgoing.write(to: socket)
      if transfer == .broken { return }
    }
  }
}
