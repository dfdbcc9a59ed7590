import LatchkeyWire

/// Finds the requests in the bytes of a connection and keeps the rules of PROTOCOL.md, "Rules for both sides".
struct FrameScanner {
  /// The requests that the last scan found.
  private(set) var requests: [RequestFrame] = []
  /// The offset behind the last frame that was taken.
  private(set) var offset = 0
  /// The greatest stream id so far.
  private(set) var lastStreamID: UInt32 = 0

  /// What a scan goes by.
  struct Rules {
    let frameBytes: Int
    let takesCancel: Bool
    /// The most requests to find.
    let room: Int
  }

  /// Why a scan stopped.
  enum Halt: Equatable {
    /// The next frame is not complete.
    case incomplete
    /// The next frame is a request, and there is no room for it.
    case outOfRoom
    /// The client no longer wants a stream.
    case cancel(UInt32)
    /// A rule was broken by a frame with this stream id; nothing behind it can be trusted.
    case violation(Violation, UInt32)
  }

  /// A broken rule that ends a connection.
  enum Violation: CaseIterable {
    case frameTooLong, unknownType, unexpectedData, invalidStreamID
  }

  /// Finds the requests from an offset on, until something else comes first.
  /// - Parameter lastStreamID: the id that the next must exceed.
  mutating func scan(_ input: RawSpan, from start: Int, after lastStreamID: UInt32, by rules: Rules) -> Halt {
    requests.removeAll(keepingCapacity: true)
    offset = start
    self.lastStreamID = lastStreamID
    while let header = FrameHeader(in: input, at: offset) {
      if header.byteCount > rules.frameBytes { return .violation(.frameTooLong, header.streamID) }
      if let violation = violation(of: header, rules) { return .violation(violation, header.streamID) }
      let end = offset + FrameHeader.byteCount + header.byteCount
      if end > input.byteCount { return .incomplete }
      if header.type != .request {
        offset = end
        return .cancel(header.streamID)
      }
      if requests.count == rules.room { return .outOfRoom }
      take(header)
    }
    return .incomplete
  }

  /// The rule that a header breaks; judged before the frame's data has come, so that nobody waits for it.
  private func violation(of header: FrameHeader, _ rules: Rules) -> Violation? {
    switch header.type {
    case .request:
      header.streamID % 2 == 1 && header.streamID > lastStreamID ? nil : .invalidStreamID
    case .data: .unexpectedData
    case .cancel where rules.takesCancel: header.byteCount == 0 ? nil : .frameTooLong
    default: .unknownType
    }
  }

  private mutating func take(_ header: FrameHeader) {
    requests.append(
      RequestFrame(
        streamID: header.streamID, flags: header.flags, offset: offset + FrameHeader.byteCount, byteCount: header.byteCount))
    offset += FrameHeader.byteCount + header.byteCount
    lastStreamID = header.streamID
  }
}
