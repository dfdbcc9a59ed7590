import LatchkeyWire

/// The bounds within which a server works; each protects its memory or its time from a peer.
package struct ServerLimits: Sendable {
  /// Connections open at once, over all loops; one more is reset as it is accepted.
  package var connections = 10_000

  /// Requests of one connection whose final frame is not written yet; one more is answered RESOURCE_EXHAUSTED.
  package var requestsInFlight = Limits.requestsInFlight

  /// Bytes of a frame's data; more ends the connection.
  package var frameBytes = Limits.frameBytes

  /// The same before the handler trusts a connection.
  package var untrustedFrameBytes = Limits.frameBytesBeforeAuthentication

  /// Bytes that wait to be written to one connection before its requests wait too, and `Responder.send` says `full`.
  ///
  /// What waits can exceed it by the final frames of what is in flight, which are always taken.
  package var outputBytes = 16 << 20

  /// The same before the handler trusts a connection.
  package var untrustedOutputBytes = 64 << 10

  /// How long a peer may take to accept any byte of what waits for it, or to complete a frame once begun.
  package var slowPeer: Duration = .seconds(30)

  /// How long a frame may take, once begun, before the handler trusts a connection.
  package var untrustedFrame: Duration = .seconds(2)

  /// How long the server goes on listening to a peer that it has said its last word to, so that this word arrives.
  package var farewell: Duration = .seconds(1)

  package init() {}

  /// The most bytes that one read takes from a connection, so that each connection has its turn.
  static let bytesPerRead = 256 << 10

  /// The most requests that a handler is given at once.
  static let requestsPerTurn = 4_096

  /// How often deadlines are looked at; a deadline is kept at most that much late.
  static let sweepMilliseconds: Int32 = 100

  func frameBytes(for facts: ConnectionFacts) -> Int { facts.isTrusted ? frameBytes : untrustedFrameBytes }
  func outputBytes(for facts: ConnectionFacts) -> Int { facts.isTrusted ? outputBytes : untrustedOutputBytes }
  func frameTime(for facts: ConnectionFacts) -> Duration { facts.isTrusted ? slowPeer : untrustedFrame }
}

extension Duration {
  /// The whole nanoseconds of a duration that is not negative.
  var nanoseconds: UInt64 {
    UInt64(clamping: components.seconds) &* 1_000_000_000 &+ UInt64(clamping: components.attoseconds / 1_000_000_000)
  }
}
