import LatchkeyWire
import Platform
import Server
import Service

/// Joins the server, which knows frames, to the service, which knows requests: one for each loop.
final class ServiceHandler: RequestHandler {
  private let service: EntitlementService
  // Safe unchecked: it is reached by `answer` alone, on one thread, and nothing that `answer` calls comes back here.
  @safe @exclusivity(unchecked) private var loop: ServiceLoop

  init(_ service: EntitlementService) {
    self.service = service
    loop = ServiceLoop(service)
  }

  func answer(_ requests: Span<RequestFrame>, in input: RawSpan, turn: inout Turn) {
    service.answer(requests, in: input, turn: &turn, loop: &loop)
  }

  // The service asks `isCancelled` before it works and before it sends, so there is nothing to tell it.
  func cancelled(_ responder: Responder) {}
}

extension Turn: CallTurn {
  package var usesControlFrames: Bool {
    get { facts.usesControlFrames }
    set { facts.usesControlFrames = newValue }
  }

  package mutating func withOutput<Result>(_ body: (inout ByteQueue) -> Result) -> Result { body(&output) }

  package mutating func reply(for streamID: UInt32) -> any LateReply { responder(for: streamID) }
}

extension Responder: LateReply {
  package func send(_ frame: [UInt8]) -> Bool { send(frame) == Outcome.sent }
}
