import LatchkeyWire
import Platform

/// Answers requests; one value is shared by all event loops.
///
/// The server knows frames and no requests: what stands in a request and what is answered is the handler's alone. Every
/// request that is handed over gets exactly one final frame, written in the turn or sent later by a `Responder`.
package protocol RequestHandler: Sendable {
  /// Memory that one loop owns and that lives from turn to turn, such as the arrays of a batch.
  associatedtype LoopState
  /// What the handler remembers of one connection, such as who is on the other side.
  associatedtype ConnectionState

  /// Makes the state of a loop; called once a loop, on its thread.
  func makeLoopState() -> LoopState

  /// Makes the state of a connection; called when it opens.
  func makeConnectionState() -> ConnectionState

  /// Answers all complete requests of one read of one connection.
  ///
  /// A request is either answered by a final frame in `turn.output`, or kept by taking `turn.responder(for:)`, or left for
  /// a later turn by `turn.leave(from:)`. Never blocks: the loop's other connections wait.
  /// - Parameters:
  ///   - requests: the frames in the order of their stream ids; at least one.
  ///   - input: the bytes that `payload` of each frame points into; gone after the call.
  func answer(
    _ requests: Span<RequestFrame>, in input: RawSpan, turn: inout Turn, connection: inout ConnectionState,
    loop: inout LoopState)

  /// Hears that nobody waits for an answer any more: the client cancelled the stream, or its connection is gone.
  ///
  /// The stream's final frame is still due, so that its place is freed; it does no harm when the connection is gone.
  func cancelled(_ responder: Responder, loop: inout LoopState)
}

/// What the server itself needs to know of a connection; the handler sets it when a client has said Hello.
package struct ConnectionFacts: Sendable {
  /// True when the client asked for control frames: it hears GOAWAY and may send CANCEL.
  package var usesControlFrames = false
  /// True when the client may send frames up to the full size and take its time over them.
  package var isTrusted: Bool

  init(isTrusted: Bool) { self.isTrusted = isTrusted }
}
