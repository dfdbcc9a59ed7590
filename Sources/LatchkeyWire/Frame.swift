import Protobuf

/// Whole frames, appended to bytes that are to be sent.
public enum Frame {
  /// Appends a request frame; a streaming method's says that nothing follows from the client.
  public static func append(
    _ request: Request, streaming: Bool = false, streamID: UInt32, to bytes: inout [UInt8]
  ) throws(FrameViolation) {
    try append(request, .request, flags: streaming ? .remoteClosed : [], streamID: streamID, to: &bytes)
  }

  /// Appends a response frame, which ends its stream.
  public static func append(
    _ response: Response, streamID: UInt32, to bytes: inout [UInt8]
  ) throws(FrameViolation) {
    try append(response, .response, streamID: streamID, to: &bytes)
  }

  /// Makes the response frame of a message, not an empty one, that the body writes; it ends its stream.
  ///
  /// - Parameter byteCount: how many bytes of the message there is to be room for from the start.
  public static func response(
    onStream streamID: UInt32, roomFor byteCount: Int, _ body: (inout MessageEncoder) -> Void
  ) throws(FrameViolation) -> [UInt8] {
    var bytes: [UInt8] = []
    // The payload has a tag and a length of five bytes at most.
    bytes.reserveCapacity(FrameHeader.byteCount + 6 + byteCount)
    try append(.response, streamID: streamID, to: &bytes) { encoder in
      encoder.append(Response.payloadNumber, body)
    }
    return bytes
  }

  /// Appends one message of a stream that goes on.
  public static func append(
    streamed message: some Message, streamID: UInt32, to bytes: inout [UInt8]
  ) throws(FrameViolation) {
    try append(message, .data, streamID: streamID, to: &bytes)
  }

  /// Gives a frame that is there to another stream, so that one message is written once for many.
  ///
  /// - Parameter offset: where the frame begins.
  public static func setStreamID(_ streamID: UInt32, ofFrameAt offset: Int, in bytes: inout [UInt8]) {
    for index in 0..<4 { bytes[offset + 4 + index] = UInt8(truncatingIfNeeded: streamID >> UInt32(24 - 8 * index)) }
  }

  /// Appends the frame that ends a stream well, without a message.
  public static func appendEnd(ofStream streamID: UInt32, to bytes: inout [UInt8]) {
    FrameHeader(dataLength: 0, streamID: streamID, type: .data, flags: [.remoteClosed, .noData]).append(to: &bytes)
  }

  /// Appends the frame by which a draining server names the last stream that it will answer.
  public static func appendGoAway(lastStreamID: UInt32, to bytes: inout [UInt8]) {
    FrameHeader(dataLength: 4, streamID: 0, type: .goAway).append(to: &bytes)
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: lastStreamID >> UInt32(shift)))
    }
  }

  /// Appends the frame by which a client gives up a stream.
  public static func appendCancel(ofStream streamID: UInt32, to bytes: inout [UInt8]) {
    FrameHeader(dataLength: 0, streamID: streamID, type: .cancel).append(to: &bytes)
  }

  /// Reads the data of a GOAWAY frame: the last stream id that the server will answer; nil if it isn't four bytes.
  public static func lastStreamID(ofGoAway data: RawSpan) -> UInt32? {
    data.byteCount == 4 ? FrameHeader.bigEndian(data, at: 0) : nil
  }

  /// Writes the data behind a place kept for the header; takes both back if there is too much of it.
  private static func append(
    _ message: some Message, _ type: FrameType, flags: FrameFlags = [], streamID: UInt32, to bytes: inout [UInt8]
  ) throws(FrameViolation) {
    var message = message
    try append(type, flags: flags, streamID: streamID, to: &bytes) { encoder in message.encode(into: &encoder) }
  }

  private static func append(
    _ type: FrameType, flags: FrameFlags = [], streamID: UInt32, to bytes: inout [UInt8],
    _ body: (inout MessageEncoder) -> Void
  ) throws(FrameViolation) {
    let start = bytes.count
    FrameHeader(dataLength: 0, streamID: streamID, type: type, flags: flags).append(to: &bytes)
    MessageEncoder.append(to: &bytes, body)
    let length = bytes.count - start - FrameHeader.byteCount
    guard length <= Limits.frameBytes else {
      bytes.removeSubrange(start...)
      throw .dataTooLong(streamID: streamID, length: length)
    }
    for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index)) }
  }
}
