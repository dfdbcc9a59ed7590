import LatchkeyWire

/// A whole frame from the server.
struct ReceivedFrame: Sendable {
  let header: FrameHeader
  let data: [UInt8]
}

/// Cuts the bytes of one connection into frames.
struct FrameReader {
  private var rest: [UInt8] = []
  /// What the server did wrong, after which nothing more is read.
  private(set) var breach: LatchkeyError?

  /// Takes the next bytes; gives the frames that are whole, as far as they are well formed.
  mutating func receive(_ bytes: ArraySlice<UInt8>) -> [ReceivedFrame] {
    rest += bytes
    var frames: [ReceivedFrame] = []
    var offset = 0
    defer { rest.removeSubrange(..<offset) }
    while breach == nil {
      switch unsafe FrameHeader.parse(rest.span.bytes, at: offset) {
      case .needMore: return frames
      case .malformed(.unknownType(streamID: 0, _)):
        // A control frame of a later version is passed over. Its length was found good before its type was looked at.
        let end = rest[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } + offset + FrameHeader.byteCount
        guard end <= rest.count else { return frames }
        offset = end
      case .malformed(let violation): breach = .breach(violation.status.message)
      case .complete(let header):
        let end = offset + header.frameLength
        frames.append(ReceivedFrame(header: header, data: Array(rest[offset + FrameHeader.byteCount..<end])))
        offset = end
      }
    }
    return frames
  }
}
