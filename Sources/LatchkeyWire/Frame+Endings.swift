import Protobuf

extension Frame {
  /// The most bytes of a status's message: some messages quote the request, and a status always has to fit into a frame.
  private static let statusMessageByteLimit = 4_096

  /// The frame that ends a stream with a status. A message that is too long is cut.
  public static func ending(stream streamID: UInt32, with status: Status) -> [UInt8] {
    var response = Response(status)
    if status.message.utf8.count > statusMessageByteLimit {
      // A character that was cut in two becomes a replacement character.
      response.status?.message = String(decoding: status.message.utf8.prefix(statusMessageByteLimit), as: UTF8.self) + "…"
    }
    var frame: [UInt8] = []
    do throws(FrameViolation) {
      try append(response, streamID: streamID, to: &frame)
    } catch {
      preconditionFailure("a status fits into a frame")
    }
    return frame
  }

  /// The frame with the last message of a stream that went well; nil where the message is larger than a frame may be.
  public static func ending(stream streamID: UInt32, withLast message: some Message) -> [UInt8]? {
    let data = message.encoded()
    guard data.count <= Limits.frameBytes else { return nil }
    var frame: [UInt8] = []
    FrameHeader(dataLength: data.count, streamID: streamID, type: .data, flags: .remoteClosed).append(to: &frame)
    return frame + data
  }
}
