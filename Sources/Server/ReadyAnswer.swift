import LatchkeyWire
import Platform

/// A response frame with a status that was made before it is needed, so that saying no costs a copy.
struct ReadyAnswer {
  private var frame: [UInt8]

  init(_ status: Status) {
    frame = Frame.ending(stream: 0, with: status)
  }

  /// Appends the frame for a stream.
  mutating func append(to output: inout ByteQueue, for streamID: UInt32) {
    for index in 0..<4 { frame[4 + index] = UInt8(truncatingIfNeeded: streamID >> UInt32(24 - 8 * index)) }
    output.append(frame)
  }
}

/// What a server says to whom it doesn't serve.
struct ReadyAnswers {
  var tooManyInFlight = ReadyAnswer(
    .overloaded("too many requests in flight on this connection", retryAfterMilliseconds: 100))
  var draining = ReadyAnswer(Status(.unavailable, "the server is draining; connect again"))
}

extension Frame {
  /// Makes the frame that tells a client which stream is the last to be answered.
  static func goAway(lastStreamID: UInt32) -> [UInt8] {
    var frame: [UInt8] = []
    appendGoAway(lastStreamID: lastStreamID, to: &frame)
    return frame
  }
}
