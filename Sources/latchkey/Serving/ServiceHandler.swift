import LatchkeyWire
import Platform
import Server
import Service

/// Joins the server, which knows frames, to the service, which knows requests.
struct ServiceHandler: RequestHandler {
  let service: EntitlementService

  func makeLoopState() -> LoopMemory { LoopMemory(service) }

  func makeConnectionState() {}

  func answer(
    _ requests: Span<RequestFrame>, in input: RawSpan, turn: inout Turn, connection: inout Void, loop: inout LoopMemory
  ) {
    service.answer(requests, in: input, turn: &turn, loop: &loop.loop)
  }

  // The service asks `isCancelled` before it works and before it sends, so there is nothing to tell it.
  func cancelled(_ responder: Responder, loop: inout LoopMemory) {}
}

/// Holds what the service keeps for a loop, which can't be copied, as the state of a handler must be able to.
final class LoopMemory {
  fileprivate var loop: ServiceLoop

  init(_ service: EntitlementService) { loop = ServiceLoop(service) }
}

extension Turn: CallTurn {
  package var usesControlFrames: Bool {
    get { facts.usesControlFrames }
    set { facts.usesControlFrames = newValue }
  }

  package mutating func withOutput<Result>(_ body: (inout ByteQueue) -> Result) -> Result { body(&output) }

  package mutating func reply(for streamID: UInt32) -> Responder { responder(for: streamID) }
}

extension Responder: LateReply {
  package func send(_ frame: [UInt8]) -> Bool { send(frame) == Outcome.sent }
}
