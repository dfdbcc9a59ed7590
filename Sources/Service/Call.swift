import LatchkeyWire
import Platform
import Protobuf

/// One request that is answered after its turn, with the way back.
struct Call: Sendable {
  let method: Method
  let payload: [UInt8]
  /// Of `Clock.monotonicNanoseconds`; nil: none.
  let deadline: UInt64?
  let reply: any LateReply

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

  /// Answers with what the body gives or throws.
  func answer(_ body: () throws(Status) -> some Message) {
    do throws(Status) { finish(try body()) } catch { fail(error) }
  }

  /// Answers with the bytes of a message that the body gives, or with what it throws.
  func answerWithBytes(_ body: () throws(Status) -> [UInt8]) {
    do throws(Status) { finish(encoded: try body()) } catch { fail(error) }
  }

  /// Answers with a message.
  func finish(_ message: consuming some Message) { finish(encoded: message.encoded()) }

  /// Answers with the bytes of a message.
  func finish(encoded message: [UInt8]) {
    var frame: [UInt8] = []
    do throws(FrameViolation) {
      try Frame.append(Response(encoded: message), streamID: reply.streamID, to: &frame)
      reply.finish(frame)
    } catch {
      fail(tooLarge(error))
    }
  }

  /// Answers with a message, not an empty one, that the body writes.
  ///
  /// - Parameter byteCount: how many bytes it mostly has at most.
  func finish(roomFor byteCount: Int, _ body: (inout MessageEncoder) -> Void) {
    do throws(FrameViolation) {
      reply.finish(try Frame.response(onStream: reply.streamID, roomFor: byteCount, body))
    } catch {
      fail(tooLarge(error))
    }
  }

  /// Answers with a status, which ends a stream as well.
  func fail(_ status: Status) { reply.finish(Frame.ending(stream: reply.streamID, with: status)) }

  private func tooLarge(_ violation: FrameViolation) -> Status {
    var size = ""
    if case .dataTooLong(_, let length) = violation { size = " has \(length) bytes, and" }
    let advice = method == .explainAccess ? "name one entitlement, or read GetHistory by pages" : "ask for less at once"
    return Status(.resourceExhausted, "\(method.name): the answer\(size) is larger than a frame may be (4 MiB); \(advice)")
  }
}
