/// A breach of the protocol that ends its connection. Section "Closing" of `PROTOCOL.md`.
public enum FrameViolation: Error, Equatable, Sendable {
  /// The data is, or would be, longer than the limit.
  case dataTooLong(streamID: UInt32, length: Int)
  /// The frame has a type that this protocol doesn't know.
  case unknownType(streamID: UInt32, type: UInt8)
  /// The frame has a type that only the other side sends, or a control frame came without being agreed on.
  case unexpectedType(streamID: UInt32, type: FrameType)
  /// A client opened a stream with an even id, or with one that isn't greater than its last.
  case streamIDOutOfOrder(streamID: UInt32)

  /// The stream on which the status is answered.
  public var streamID: UInt32 {
    switch self {
    case .dataTooLong(let streamID, _), .unknownType(let streamID, _), .unexpectedType(let streamID, _),
      .streamIDOutOfOrder(let streamID):
      streamID
    }
  }

  /// What the other side is told before the connection closes.
  public var status: Status {
    switch self {
    case .dataTooLong(_, let length):
      Status(.resourceExhausted, "\(length) bytes of data in a frame are over the limit")
    case .unknownType(_, let type):
      Status(.invalidArgument, "frame type \(type) is unknown")
    case .unexpectedType(_, let type):
      Status(.invalidArgument, "frame type \(type.rawValue) isn't taken here")
    case .streamIDOutOfOrder(let streamID):
      Status(.invalidArgument, "stream id \(streamID) is even or not greater than the last")
    }
  }
}

/// The order of the streams that the client of one connection opens: odd ids that rise and are never used again.
public struct StreamOrder: Sendable {
  /// The greatest id so far; 0 before the first.
  public private(set) var last: UInt32 = 0

  public init() {}

  /// Takes the id of a request that came in, or throws that it is out of order.
  public mutating func admit(_ streamID: UInt32) throws(FrameViolation) {
    guard streamID % 2 == 1, streamID > last else { throw .streamIDOutOfOrder(streamID: streamID) }
    last = streamID
  }

  /// Takes the header of a frame that a client sent, or throws that the client may not send it.
  ///
  /// That the connection agreed on control frames is for the server to check.
  public mutating func admit(_ header: FrameHeader) throws(FrameViolation) {
    switch header.type {
    case .request: try admit(header.streamID)
    case .cancel: break
    case .response, .data, .goAway: throw .unexpectedType(streamID: header.streamID, type: header.type)
    }
  }

  /// Gives the id of the next request to send; nil when the connection has none left and another must be opened.
  public mutating func next() -> UInt32? {
    guard last < UInt32.max else { return nil }
    last += last == 0 ? 1 : 2
    return last
  }
}
