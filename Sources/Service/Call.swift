import LatchkeyWire
import Platform
import Protobuf

/// One request that is answered after its turn, with the way back.
struct Call<Reply: LateReply>: Sendable {
  let method: Method
  let payload: [UInt8]
  /// Of `Clock.monotonicNanoseconds`; nil: none.
  let deadline: UInt64?
  let reply: Reply

  var isPastDeadline: Bool { deadline.map { Clock.monotonicNanoseconds() > $0 } ?? false }

  /// Decodes the request; answers `INVALID_ARGUMENT` and returns nil where it is no message.
  func request<Request: Message>(_ type: Request.Type) -> Request? {
    do {
      return try Request(decoding: payload)
    } catch {
      fail(Status(.invalidArgument, "\(method.name): the request isn't a valid message: \(error)"))
      return nil
    }
  }

  /// Answers with a message.
  func finish(_ message: some Message) {
    var frame: [UInt8] = []
    do {
      try Frame.append(Response(message), streamID: reply.streamID, to: &frame)
      reply.finish(frame)
    } catch {
      fail(Status(.resourceExhausted, "the answer is larger than a frame may be; ask for less at once"))
    }
  }

  /// Answers with a status, which ends a stream as well.
  func fail(_ status: Status) { reply.finish(Frame.response(status, streamID: reply.streamID)) }
}

extension Frame {
  /// The frame of a response that failed.
  static func response(_ status: Status, streamID: UInt32) -> [UInt8] {
    var frame: [UInt8] = []
    do {
      try append(Response(status), streamID: streamID, to: &frame)
    } catch {
      preconditionFailure("a status fits into a frame")
    }
    return frame
  }
}
