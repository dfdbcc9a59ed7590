import LatchkeyWire
import Platform

/// Answers the requests of one event loop, and is called on its thread alone, so that it can keep memory from turn to turn.
///
/// The server knows frames and no requests: what stands in a request and what is answered is the handler's alone. Every
/// request that is handed over gets exactly one final frame, written in the turn or sent later by a `Responder`.
package protocol RequestHandler: AnyObject {
  /// Answers all complete requests of one read of one connection.
  ///
  /// A request is either answered by a final frame in `turn.output`, or kept by taking `turn.responder(for:)`, or left for
  /// a later turn by `turn.leave(from:)`. Never blocks: the loop's other connections wait.
  /// - Parameters:
  ///   - requests: the frames in the order of their stream ids; at least one.
  ///   - input: the bytes that `payload` of each frame points into; gone after the call.
  func answer(_ requests: Span<RequestFrame>, in input: RawSpan, turn: inout Turn)

  /// Hears that nobody waits for an answer any more: the client cancelled the stream, or its connection is gone.
  ///
  /// The stream's final frame is still due, so that its place is freed; it does no harm when the connection is gone.
  func cancelled(_ responder: Responder)
}

/// What the server itself needs to know of a connection; the handler sets it when a client has said Hello.
package struct ConnectionFacts: Sendable {
  /// True when the client asked for control frames: it hears GOAWAY and may send CANCEL.
  package var usesControlFrames = false
  /// True when the client may send frames up to the full size and take its time over them.
  package var isTrusted: Bool

  init(isTrusted: Bool) { self.isTrusted = isTrusted }
}
