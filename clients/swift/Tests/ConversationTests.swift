import LatchkeyWire
import Testing

@testable import LatchkeyClient

@Suite("Conversations and queues")
struct ConversationTests {
  let question = Question(.checkAccess, CheckAccessRequest())

  @Test("A connection retires before it runs out of stream ids")
  func streamIDsRunOut() throws {
    var conversation = Conversation(HelloRequest(), after: .max - 6)
    #expect(try conversation.send(question, timeoutNanoseconds: 0, for: 1) == .max - 2)
    #expect(conversation.hasRoom)
    #expect(try conversation.send(question, timeoutNanoseconds: 0, for: 2) == .max)
    #expect(!conversation.hasRoom && !conversation.isOver)
  }

  @Test("Calls of which no byte was written are told apart from the others", arguments: [0, 1])
  func unsentCalls(extra: Int) throws {
    var conversation = Conversation(HelloRequest())
    _ = try conversation.send(question, timeoutNanoseconds: 0, for: 1)
    let written = conversation.takeOutput().count
    _ = try conversation.send(question, timeoutNanoseconds: 0, for: 2)
    let left = conversation.end(bytesWritten: written + extra)
    #expect(left.sent == (extra == 0 ? [1] : [1, 2]))
    #expect(left.unsent == (extra == 0 ? [2] : []))
  }

  @Test("A cancelled call keeps its place until the server ends it")
  func cancelledKeepsPlace() throws {
    var conversation = Conversation(HelloRequest())
    let hello = Response(HelloResponse.with { $0.limits = .with { $0.requestsInFlight = 1 } }).encoded()
    _ = try conversation.receive(frame(1, hello))
    let streamID = try conversation.send(question, timeoutNanoseconds: 0, for: 1)
    conversation.abandon(streamID)
    #expect(!conversation.hasRoom)
    _ = try conversation.receive(frame(streamID, []))
    #expect(conversation.hasRoom)
  }

  @Test("Frames are found however the bytes are cut", arguments: [1, 7, 10, 11, 1_000])
  func frameReader(size: Int) {
    var bytes: [UInt8] = []
    for streamID in stride(from: UInt32(1), to: 99, by: 2) {
      FrameHeader(dataLength: Int(streamID), streamID: streamID, type: .response).append(to: &bytes)
      bytes += [UInt8](repeating: UInt8(streamID), count: Int(streamID))
    }
    var (reader, frames) = (FrameReader(), [ReceivedFrame]())
    for start in stride(from: 0, to: bytes.count, by: size) {
      frames += reader.receive(bytes[start..<min(start + size, bytes.count)])
    }
    #expect(frames.map(\.header.streamID) == Array(stride(from: 1, to: 99, by: 2)))
    #expect(frames.allSatisfy { $0.data == [UInt8](repeating: UInt8($0.header.streamID), count: $0.header.dataLength) })
  }

  @Test("A control frame of an unknown type is passed over, once it is whole")
  func unknownControlFrame() {
    var reader = FrameReader()
    #expect(reader.receive([0, 0, 0, 2, 0, 0, 0, 0, 99, 0, 1]).isEmpty)
    #expect(reader.receive([2, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0]).map(\.header.streamID) == [1])
    #expect(reader.breach == nil)
  }

  @Test("Calls wait in the order in which they came, those put back before them")
  func waitingCalls() {
    var waiting = WaitingCalls()
    for id in 0..<5_000 { waiting.append(CallID(id)) }
    let first = (0..<3_000).compactMap { _ in waiting.popFirst() }
    #expect(first == Array(0..<3_000))
    waiting.prepend([1, 2])
    waiting.removeAll { $0 % 2 == 0 }
    #expect(waiting.count == 1_001)
    #expect(waiting.popFirst() == 1 && waiting.popFirst() == 3_001)
  }

  private func frame(_ streamID: UInt32, _ data: [UInt8]) -> ReceivedFrame {
    ReceivedFrame(header: FrameHeader(dataLength: data.count, streamID: streamID, type: .response), data: data)
  }
}
