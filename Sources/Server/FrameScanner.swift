import LatchkeyWire

/// Finds the requests in the bytes of a connection and keeps the rules of PROTOCOL.md on the order and kind of frames.
struct FrameScanner {
  /// The requests that the last scan found.
  private(set) var requests: [RequestFrame] = []
  /// The offset behind the last frame that was taken.
  private(set) var offset = 0

  /// What a scan goes by.
  struct Rules {
    /// The most bytes of data in a frame.
    let frameBytes: Int
    /// True when the client asked for control frames.
    let takesCancel: Bool
    /// The most requests to find.
    let room: Int
  }

  /// Why a scan stopped.
  enum Halt {
    /// The next frame is not complete.
    case incomplete
    /// The requests that were found must be answered before the next frame is judged: there is no room for it, or it is no
    /// request and they may change what is allowed, as a Hello does. So it doesn't matter how reads cut the bytes.
    case answersFirst
    /// The client no longer wants a stream.
    case cancel(UInt32)
    /// A rule was broken; nothing behind it can be trusted.
    case violation(FrameViolation)
  }

  /// Finds the requests from an offset on, until something else comes first.
  /// - Parameter order: the stream ids so far; the ids of the requests that are found are added.
  mutating func scan(_ input: RawSpan, from start: Int, order: inout StreamOrder, by rules: Rules) -> Halt {
    requests.removeAll(keepingCapacity: true)
    offset = start
    while true {
      switch FrameHeader.parse(input, at: offset, maximumDataBytes: rules.frameBytes) {
      case .needMore: return .incomplete
      case .complete(let header) where header.type == .request:
        if requests.count == rules.room { return .answersFirst }
        do throws(FrameViolation) { try take(header, &order) } catch { return .violation(error) }
      case _ where !requests.isEmpty: return .answersFirst
      case .malformed(let violation): return .violation(violation)
      case .complete(let header): return takeControl(header, rules)
      }
    }
  }

  /// Where to scan again, and after which ids, when the requests from an index on are left for later.
  func rewound(before index: Int, order: StreamOrder) -> (offset: Int, order: StreamOrder) {
    var rewound = order
    for request in requests[..<index] { _ = try? rewound.admit(request.streamID) }
    return (requests[index].offset - FrameHeader.byteCount, rewound)
  }

  private mutating func take(_ header: FrameHeader, _ order: inout StreamOrder) throws(FrameViolation) {
    try order.admit(header.streamID)
    let data = offset + FrameHeader.byteCount
    requests.append(
      RequestFrame(streamID: header.streamID, flags: header.flags, offset: data, byteCount: header.dataLength))
    offset += header.frameLength
  }

  private mutating func takeControl(_ header: FrameHeader, _ rules: Rules) -> Halt {
    guard header.type == .cancel, rules.takesCancel else {
      return .violation(.unexpectedType(streamID: header.streamID, type: header.type))
    }
    offset += header.frameLength
    return .cancel(header.streamID)
  }
}
