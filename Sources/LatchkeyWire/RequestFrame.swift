/// Where one request stands in the bytes of a read.
@frozen
public struct RequestFrame: Sendable {
  /// The stream that the answer belongs to; odd.
  public let streamID: UInt32
  /// The frame's flags (PROTOCOL.md, "Frame").
  public let flags: FrameFlags
  /// The offset of the request's envelope in the input.
  public let offset: Int
  /// The number of bytes of the envelope.
  public let byteCount: Int

  @inlinable
  public init(streamID: UInt32, flags: FrameFlags, offset: Int, byteCount: Int) {
    self.streamID = streamID
    self.flags = flags
    self.offset = offset
    self.byteCount = byteCount
  }
}
