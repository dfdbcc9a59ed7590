import LatchkeyWire
import Platform
import Protobuf

/// A response frame with a status that was made before it is needed, so that saying no costs a copy.
struct ReadyAnswer {
  private let data: [UInt8]

  init(_ status: Status) {
    var response = Response()
    response.status = status
    var encoder = MessageEncoder()
    response.visit(&encoder)
    data = encoder.bytes
  }

  /// Appends the frame for a stream.
  func append(to output: inout ByteQueue, for streamID: UInt32) {
    output.append(FrameHeader.bytes(data.count, streamID, .response).span.bytes)
    output.append(data.span.bytes)
  }
}

/// What the server itself has to say.
struct ReadyAnswers {
  let tooManyInFlight = ReadyAnswer(.overloaded("too many requests in flight on this connection", retryAfterMilliseconds: 100))
  let draining = ReadyAnswer(Status(.unavailable, "the server is draining; ask another one"))
  private let frameTooLong = ReadyAnswer(Status(.resourceExhausted, "the frame is longer than allowed"))
  private let unknownType = ReadyAnswer(Status(.invalidArgument, "the frame's type is unknown, or was not agreed upon"))
  private let unexpectedData = ReadyAnswer(Status(.invalidArgument, "no call takes data frames from the client"))
  private let invalidStreamID = ReadyAnswer(
    Status(.invalidArgument, "stream ids are odd, and each is greater than the one before"))

  /// What is said about a broken rule before the connection ends.
  func answer(to violation: FrameScanner.Violation) -> ReadyAnswer {
    switch violation {
    case .frameTooLong: frameTooLong
    case .unknownType: unknownType
    case .unexpectedData: unexpectedData
    case .invalidStreamID: invalidStreamID
    }
  }

  /// The frame that tells a client that no request after a stream id will be answered.
  static func goAway(lastStreamID: UInt32) -> [UInt8] {
    let data = withUnsafeBytes(of: lastStreamID.bigEndian) { Array($0) }
    return FrameHeader.bytes(data.count, 0, .goAway) + data
  }
}
