import LatchkeyWire
import Platform
import Server

/// A handler that does what the first letter of a request says, and keeps account of it.
///
/// `p` keeps the responder; `h` turns control frames on; `t` trusts the connection; `q` ends it; `b` answers 64 KiB, as far
/// as the output has room; anything else is answered by itself.
final class Script: RequestHandler, Sendable {
  private nonisolated(unsafe) var responders: [Responder] = []
  private nonisolated(unsafe) var cancelledStreams: [UInt32] = []
  private nonisolated(unsafe) var bigAnswers = 0
  private let changed = Monitor()

  static let bigAnswer = String(repeating: "x", count: 64 << 10)

  /// Responders that were kept, in order.
  var kept: [Responder] { changed.withLock { unsafe responders } }
  /// Streams whose end nobody waits for.
  var cancelled: [UInt32] { changed.withLock { unsafe cancelledStreams } }
  /// Big answers written so far.
  var bigAnswersWritten: Int { changed.withLock { unsafe bigAnswers } }

  /// Waits until so many responders were kept, and returns them.
  func waitForKept(_ count: Int) -> [Responder] {
    changed.withLock { while unsafe responders.count < count { changed.wait() } }
    return kept
  }

  /// Waits until so many streams were cancelled, and returns them.
  func waitForCancelled(_ count: Int) -> [UInt32] {
    changed.withLock { while unsafe cancelledStreams.count < count { changed.wait() } }
    return cancelled
  }

  func answer(_ requests: Span<RequestFrame>, in input: RawSpan, turn: inout Turn) {
    for index in requests.indices {
      let request = requests[index]
      let data = unsafe input.extracting(request.offset..<request.offset + request.byteCount)
        .withUnsafeBytes { unsafe Array($0) }
      switch data.first.map(UnicodeScalar.init) {
      case "p": keep(turn.responder(for: request.streamID))
      case "b":
        if turn.isOutputFull { return turn.leave(from: index) }
        changed.withLock { unsafe bigAnswers += 1 }
        turn.output.append(frame(request.streamID, type: 2, Self.bigAnswer))
      default:
        if data.first == UInt8(ascii: "h") { turn.facts.usesControlFrames = true }
        if data.first == UInt8(ascii: "t") { turn.facts.isTrusted = true }
        if data.first == UInt8(ascii: "q") { turn.endConnection() }
        turn.output.append(frame(request.streamID, type: 2, length: data.count) + data)
      }
    }
  }

  func cancelled(_ responder: Responder) {
    changed.withLock {
      unsafe cancelledStreams.append(responder.streamID)
      changed.broadcast()
    }
  }

  private func keep(_ responder: Responder) {
    changed.withLock {
      unsafe responders.append(responder)
      changed.broadcast()
    }
  }
}

/// Runs a test against a server of its own, which is stopped at the end.
func withServer(
  loops: Int = 1, trusting: Bool = true, _ limit: (inout ServerLimits) -> Void = { _ in },
  _ body: (Server, Script) throws -> Void
) throws {
  var options = ServerOptions()
  options.loops = loops
  options.trustsNewConnections = trusting
  limit(&options.limits)
  let script = Script()
  let server = try Server(on: .loopback(), options: options) { script }
  defer { server.stop() }
  try body(server, script)
}
