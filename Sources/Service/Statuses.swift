import Entitlements
import LatchkeyWire
import Protobuf
import Storage

extension StoreError {
  /// The status that says so on the wire.
  var status: Status {
    switch self {
    case .refused(.invalid): Status(.invalidArgument, description)
    case .refused(.precondition): Status(.failedPrecondition, description)
    case .deadlineExceeded: Status(.deadlineExceeded, description)
    case .overloaded: .overloaded(description, retryAfterMilliseconds: 100)
    case .readOnly: .overloaded(description, retryAfterMilliseconds: 1_000)
    case .outcomeUnknown: Status(.unknown, description)
    case .closed: Status(.unavailable, description)
    case .busy: Status(.failedPrecondition, description)
    case .journal(.tooLarge): Status(.invalidArgument, description)
    case .journal: Status(.internal, description)
    }
  }
}

extension Refusal {
  /// The status that says so on the wire.
  var status: Status { StoreError.refused(self).status }
}

extension Frame {
  /// The most bytes of a status's message: some messages quote the request, and a status always has to fit into a frame.
  private static let statusMessageByteLimit = 4_096

  /// The frame of a response that failed. A message that is too long is cut.
  static func response(_ status: Status, streamID: UInt32) -> [UInt8] {
    var status = status
    if status.message.utf8.count > statusMessageByteLimit {
      // A character that was cut in two becomes a replacement character.
      status.message = String(decoding: status.message.utf8.prefix(statusMessageByteLimit), as: UTF8.self) + "…"
    }
    var frame: [UInt8] = []
    do {
      try append(Response(status), streamID: streamID, to: &frame)
    } catch {
      preconditionFailure("a status fits into a frame")
    }
    return frame
  }

  /// The frame with the last message of a stream that went well; nil where the message is larger than a frame may be.
  static func last(_ message: some Message, streamID: UInt32) -> [UInt8]? {
    let data = message.encoded()
    guard data.count <= Limits.frameBytes else { return nil }
    var frame: [UInt8] = []
    FrameHeader(dataLength: data.count, streamID: streamID, type: .data, flags: .remoteClosed).append(to: &frame)
    return frame + data
  }
}
