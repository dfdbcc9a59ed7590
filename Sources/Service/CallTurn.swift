import Platform

/// What the service needs of a connection's turn: where answers go, now or later. The server's turn is one.
package protocol CallTurn: ~Copyable {
  /// The wall clock, in milliseconds since 1970 UTC.
  var nowMilliseconds: Int64 { get }
  /// Whether the peer must read before it may be answered more.
  var isOutputFull: Bool { get }
  /// Whether the client said that it understands control frames.
  var usesControlFrames: Bool { get set }

  /// Gives the body the buffer that takes complete response frames, in any order.
  mutating func withOutput<Result>(_ body: (inout ByteQueue) -> Result) -> Result

  /// Takes a request out of the turn: its final frame comes later. In the order of the requests.
  mutating func reply(for streamID: UInt32) -> any LateReply

  /// Leaves the requests from an index on for a later turn, because the output is full.
  mutating func leave(from index: Int)
}

/// The way to answer a request after its turn, from any thread.
package protocol LateReply: Sendable {
  var streamID: UInt32 { get }
  /// Whether nobody waits for the answer any more.
  var isCancelled: Bool { get }

  /// Sends frames of the stream, none of which is its last; returns false where the peer doesn't read, or nobody waits.
  func send(_ frame: [UInt8]) -> Bool
  /// Sends the one final frame.
  func finish(_ frame: [UInt8])
}
