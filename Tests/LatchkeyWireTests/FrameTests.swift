import Foundation
import LatchkeyWire
import Protobuf
import TestSupport
import Testing

/// What one side of a connection sends in `schema/vectors/frames.json`, and what the other side finds in it.
struct FrameVector: Decodable, CustomTestStringConvertible {
  struct Frame: Decodable, Equatable {
    var streamId: UInt32
    var type: UInt8
    var flags: UInt8
    var data: String
  }

  var name: String
  var from: String
  var hex: String
  var frames: [Frame]
  var then: String
  var status: String?
  var statusStreamId: UInt32?

  var testDescription: String { name }
}

@Suite struct `Frames` {
  @Test(arguments: try Schema.vectors("frames.json") as [FrameVector])
  func `are found, awaited or refused as the vector says`(_ vector: FrameVector) {
    let found = read(bytes(vector.hex), fromClient: vector.from == "client")
    #expect(found.frames == vector.frames)
    #expect(found.then == vector.then)
    #expect(found.violation?.status.code.name == vector.status)
    #expect(found.violation?.streamID == vector.statusStreamId)
  }

  @Test func `can be given to another stream, and are then as if they had been written for it`() throws {
    var (frames, expected): ([UInt8], [UInt8]) = ([], [])
    let event = WatchEvent.with { $0.checkpoint = true }
    for streamID in [1, 0x0102_0305, 7] as [UInt32] { try Frame.append(streamed: event, streamID: streamID, to: &frames) }
    for streamID in [1, UInt32.max, 7] { try Frame.append(streamed: event, streamID: streamID, to: &expected) }
    Frame.setStreamID(.max, ofFrameAt: frames.count / 3, in: &frames)
    #expect(frames == expected)
  }

  /// Reads as a receiver does: frame by frame, with the client's stream ids in order.
  private func read(
    _ bytes: [UInt8], fromClient: Bool
  ) -> (frames: [FrameVector.Frame], then: String, violation: FrameViolation?) {
    var (frames, offset, order): ([FrameVector.Frame], Int, StreamOrder) = ([], 0, StreamOrder())
    while true {
      switch unsafe FrameHeader.parse(bytes.span.bytes, at: offset) {
      case .needMore: return (frames, offset == bytes.count && offset > 0 ? "end" : "need more", nil)
      case .malformed(let violation): return (frames, "close", violation)
      case .complete(let header):
        do throws(FrameViolation) {
          if fromClient { try order.admit(header) }
        } catch {
          return (frames, "close", error)
        }
        let data = Array(bytes[offset + FrameHeader.byteCount..<offset + header.frameLength])
        frames.append(
          .init(
            streamId: header.streamID, type: header.type.rawValue, flags: header.flags.rawValue, data: hexadecimal(data)))
        offset += header.frameLength
      }
    }
  }

  @Test func `of a request are written as the vectors have them`() throws {
    let vectors: [FrameVector] = try Schema.vectors("frames.json")
    var sent: [UInt8] = []
    let check = CheckAccessRequest(customerID: "alice", entitlement: "premium")
    try Frame.append(Request(.checkAccess, check), streamID: 1, to: &sent)
    #expect(hexadecimal(sent) == vectors.first { $0.name == "a request" }?.hex)
    Frame.appendCancel(ofStream: 1, to: &sent)
    #expect(hexadecimal(sent) == vectors.first { $0.name == "a cancel" }?.hex)
    sent = []
    try Frame.append(
      Request(.rebuildEntitlements, RebuildEntitlementsRequest()), streaming: true, streamID: 1, to: &sent)
    #expect(hexadecimal(sent) == vectors.first { $0.name == "a streaming request" }?.hex)
  }

  @Test func `of a server are written as the vectors have them`() throws {
    let vectors: [FrameVector] = try Schema.vectors("frames.json")
    var sent: [UInt8] = []
    try Frame.append(streamed: RebuildProgress.with { $0.customers = 1 }, streamID: 1, to: &sent)
    Frame.appendEnd(ofStream: 1, to: &sent)
    #expect(hexadecimal(sent) == vectors.first { $0.name == "a stream's message and its end" }?.hex)
    sent = []
    Frame.appendGoAway(lastStreamID: 7, to: &sent)
    #expect(hexadecimal(sent) == vectors.first { $0.name == "a server that drains after stream 7" }?.hex)
    #expect(unsafe Frame.lastStreamID(ofGoAway: sent.span.bytes.extracting(10..<14)) == 7)
    #expect(unsafe Frame.lastStreamID(ofGoAway: sent.span.bytes.extracting(10..<13)) == nil)
  }

  @Test func `await every byte of their header and data`() throws {
    var bytes: [UInt8] = []
    try Frame.append(Response(Status(.notFound, "nothing")), streamID: 3, to: &bytes)
    for length in 0..<bytes.count {
      let expected = length < 10 ? 10 : bytes.count
      #expect(unsafe FrameHeader.parse(bytes.span.bytes.extracting(0..<length)) == .needMore(frameLength: expected))
    }
  }

  @Test func `of noise are found, awaited or refused without a trap`() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { index in
        random.oneIn(3) ? UInt8.random(in: 0...255, using: &random) : index < 3 ? 0 : 1
      }
      if case .complete(let header) = unsafe FrameHeader.parse(bytes.span.bytes) {
        #expect(header.frameLength <= bytes.count)
      }
    }
  }

  @Test(arguments: [(-1, true), (0, true), (1, false)])
  func `carry up to 4 MiB of data`(_ excess: Int, _ fits: Bool) {
    // The envelope around the payload takes a tag and a length of four bytes.
    let payload = [UInt8](repeating: 0, count: Limits.frameBytes - 5 + excess)
    var bytes: [UInt8] = [1, 2, 3]
    let response = Response.with { $0.payload = payload }
    if fits {
      #expect(throws: Never.self) { try Frame.append(response, streamID: 1, to: &bytes) }
      #expect(bytes.count == 3 + FrameHeader.byteCount + Limits.frameBytes + excess)
    } else {
      let violation = FrameViolation.dataTooLong(streamID: 1, length: Limits.frameBytes + 1)
      #expect(throws: violation) { try Frame.append(response, streamID: 1, to: &bytes) }
      #expect(bytes == [1, 2, 3])
    }
  }

  @Test(arguments: [(16_383, true), (16_384, true), (16_385, false)])
  func `obey a smaller limit where the receiver sets one`(_ length: Int, _ fits: Bool) {
    var bytes: [UInt8] = []
    FrameHeader(dataLength: length, streamID: 1, type: .request).append(to: &bytes)
    let found = unsafe FrameHeader.parse(
      bytes.span.bytes, maximumDataBytes: Limits.frameBytesBeforeAuthentication)
    #expect(
      found == (fits ? .needMore(frameLength: 10 + length) : .malformed(.dataTooLong(streamID: 1, length: length))))
  }

  @Test func `of a client have odd stream ids up to the last`() throws {
    var order = StreamOrder()
    #expect((0..<3).map { _ in order.next() } == [1, 3, 5])
    try order.admit(UInt32.max - 2)
    #expect(order.next() == UInt32.max)
    #expect(order.next() == nil)
  }
}
