import LatchkeyWire
import Protobuf

/// What is said on one connection: requests out, answers in, matched by stream id. It does no input or output itself.
///
/// It begins with Hello, which needs no round trip of its own: requests follow it at once.
struct Conversation: Sendable {
  /// How many bytes may stand in ``output`` before further calls wait.
  static let outputLimit = Limits.frameBytes

  /// A stream that the server hasn't ended.
  private struct Stream: Sendable {
    /// Whose it is; nil once the caller gave up, and for Hello. Its place is free only when the server ends it.
    var call: CallID?
    /// Where its request begins, in bytes since the connection began.
    let start: Int
    let isStreaming: Bool
  }

  /// What a frame means for the calls.
  enum Event {
    case nothing
    case message(CallID, [UInt8])
    case end(CallID, Ending)
    /// The server won't answer these.
    case unanswered([CallID])
  }

  /// Frames that the thread hasn't taken yet.
  private(set) var output: [UInt8] = []
  private var bytesTaken = 0
  private var order = StreamOrder()
  private var streams: [UInt32: Stream] = [:]
  private let helloStreamID: UInt32
  private var inFlightLimit = Limits.requestsInFlight
  /// Whether the server agreed to control frames.
  private var takesCancel = false
  /// Whether it takes no new requests: the server is draining, or no stream id is left.
  private(set) var isRetired = false
  /// Whether anything came from the server.
  private(set) var hasHeard = false

  /// Opens a conversation by saying Hello.
  ///
  /// - Parameter lastStreamID: an odd id after which the streams begin, or 0; for tests of the end of the ids.
  init(_ hello: HelloRequest, after lastStreamID: UInt32 = 0) {
    if lastStreamID > 0 { try? order.admit(lastStreamID) }
    helloStreamID = order.next() ?? 1
    streams[helloStreamID] = Stream(call: nil, start: 0, isStreaming: false)
    // Only data over 4 MiB is refused, which no name and token make up unless the caller means harm to itself.
    try? Frame.append(Request(.hello, hello), streamID: helloStreamID, to: &output)
  }

  /// Whether one more request may be sent.
  var hasRoom: Bool { !isRetired && streams.count < inFlightLimit && output.count < Self.outputLimit }

  /// Whether nothing more will be said.
  var isOver: Bool { isRetired && streams.isEmpty }

  /// Puts a request on a stream of its own; gives the stream's id. Throws if the request is longer than a frame may be.
  mutating func send(_ question: Question, timeoutNanoseconds: Int64, for call: CallID) throws(FrameViolation) -> UInt32 {
    guard let streamID = order.next() else { preconditionFailure("a conversation without ids has no room") }
    let start = bytesTaken + output.count
    var request = question.request
    request.timeoutNanoseconds = timeoutNanoseconds
    isRetired = order.last == UInt32.max
    try Frame.append(request, streaming: question.isStreaming, streamID: streamID, to: &output)
    streams[streamID] = Stream(call: call, start: start, isStreaming: question.isStreaming)
    return streamID
  }

  /// Gives up a stream: what still comes on it is dropped, and the server is told if it understands that.
  mutating func abandon(_ streamID: UInt32) {
    guard streams[streamID]?.call != nil else { return }
    streams[streamID]?.call = nil
    if takesCancel { Frame.appendCancel(ofStream: streamID, to: &output) }
  }

  /// Hands over the bytes to write next.
  mutating func takeOutput() -> [UInt8] {
    bytesTaken += output.count
    defer { output = [] }
    return output
  }

  /// Ends the conversation; gives the calls left on it, those sent in part or whole apart from those of which no byte was.
  func end(bytesWritten: Int) -> (sent: [CallID], unsent: [CallID]) {
    let left = streams.sorted { $0.key < $1.key }.map(\.value)
    return (
      left.filter { $0.start < bytesWritten }.compactMap(\.call), left.filter { $0.start >= bytesWritten }.compactMap(\.call)
    )
  }
}

// MARK: - What the server says

extension Conversation {
  /// Takes a frame from the server; throws if the protocol doesn't allow it.
  mutating func receive(_ frame: ReceivedFrame) throws(LatchkeyError) -> Event {
    hasHeard = true
    switch frame.header.type {
    case .response: return try receiveResponse(frame)
    case .data: return try receiveData(frame)
    case .goAway: return try receiveGoAway(frame)
    case .request, .cancel: throw .breach("a frame of type \(frame.header.type.rawValue), which only clients send")
    }
  }

  private mutating func receiveResponse(_ frame: ReceivedFrame) throws(LatchkeyError) -> Event {
    let streamID = frame.header.streamID
    guard let stream = streams.removeValue(forKey: streamID) else { return try receiveStray(streamID) }
    if streamID == helloStreamID { receiveHello(frame.data) }
    guard let call = stream.call else { return .nothing }
    return .end(call, .response(frame.data))
  }

  private mutating func receiveData(_ frame: ReceivedFrame) throws(LatchkeyError) -> Event {
    let (streamID, flags) = (frame.header.streamID, frame.header.flags)
    guard let stream = streams[streamID] else { return try receiveStray(streamID) }
    guard stream.isStreaming else { throw .breach("a stream on \(streamID), where one answer was asked for") }
    guard flags.contains(.remoteClosed) else { return stream.call.map { .message($0, frame.data) } ?? .nothing }
    streams[streamID] = nil
    return stream.call.map { .end($0, .closed(lastMessage: flags.contains(.noData) ? nil : frame.data)) } ?? .nothing
  }

  /// The server names the last stream that it answers: the later ones are free to go elsewhere.
  private mutating func receiveGoAway(_ frame: ReceivedFrame) throws(LatchkeyError) -> Event {
    guard frame.header.streamID == 0, let last = unsafe Frame.lastStreamID(ofGoAway: frame.data.span.bytes) else {
      throw .breach("a GOAWAY that names no last stream")
    }
    isRetired = true
    let later = streams.filter { $0.key > last }.sorted { $0.key < $1.key }
    for (streamID, _) in later { streams[streamID] = nil }
    return .unanswered(later.compactMap(\.value.call))
  }

  /// Learns the limits. A server that refuses Hello refuses what follows, too, or is a plain one without control frames.
  private mutating func receiveHello(_ data: [UInt8]) {
    guard let payload = try? Answer.payload(data), let hello = try? HelloResponse(decoding: payload) else { return }
    takesCancel = true
    if let limit = hello.limits?.requestsInFlight, limit > 0 { inFlightLimit = Int(limit) }
  }

  /// A frame on a stream that isn't open may only follow GOAWAY, which the server wrote beside other threads' answers.
  private func receiveStray(_ streamID: UInt32) throws(LatchkeyError) -> Event {
    guard isRetired else { throw .breach("an answer on stream \(streamID), which isn't open") }
    return .nothing
  }
}
