import LatchkeyWire
import Platform
import Server
import Testing

@Suite("Frames over a socket")
struct FrameTests {
  static let stream = frame(1, "one") + frame(3) + frame(7, "seven") + frame(9, "q")
  static let answers = [Client.Received(1, "one"), .init(3, ""), .init(7, "seven"), .init(9, "q")]

  @Test("A stream of frames that is cut in two at any byte gets the same answers")
  func cutAnywhere() throws {
    try withServer { server, _ in
      let other = try Client(server.endpoint)
      for cut in 0...Self.stream.count {
        let client = try Client(server.endpoint)
        try client.send(Array(Self.stream[..<cut]))
        // The loop has one thread and takes events in order: when this is answered, the first part has been read.
        try other.send(frame(UInt32(cut * 2 + 1), "fence"))
        #expect(try other.receive() != nil)
        try client.send(Array(Self.stream[cut...]))
        #expect(try client.receive(4) == Self.answers)
        #expect(try client.receive() == nil)
      }
    }
  }

  @Test("Frames that arrive byte by byte get the same answers")
  func byteByByte() throws {
    try withServer { server, _ in
      let client = try Client(server.endpoint)
      for byte in Self.stream { try client.send([byte]) }
      #expect(try client.receive(4) == Self.answers)
    }
  }

  @Test("More requests than fit into one read or one turn are all answered in order")
  func manyInOneWrite() throws {
    try withServer { server, _ in
      let client = try Client(server.endpoint)
      let ids = (0..<20_000).map { UInt32($0 * 2 + 1) }
      try client.send(ids.flatMap { frame($0, "some bytes of a request") })
      #expect(try client.receive(ids.count).map(\.streamID) == ids)
    }
  }

  @Test("Answers come as they are ready, whatever the order of the requests")
  func outOfOrder() throws {
    try withServer { server, script in
      let client = try Client(server.endpoint)
      try client.send(frame(1, "p") + frame(3, "p") + frame(5, "now"))
      #expect(try client.receive() == .init(5, "now"))
      let kept = script.waitForKept(2)
      kept[1].finish(frame(3, type: 2, "second"))
      #expect(try client.receive() == .init(3, "second"))
      kept[0].finish(frame(1, type: 2, "first"))
      #expect(try client.receive() == .init(1, "first"))
    }
  }

  @Test(
    "A frame that breaks a rule is answered with a status, and the connection ends",
    arguments: [
      ("an even id", frame(2), StatusCode.invalidArgument), ("id 0", frame(0), .invalidArgument),
      ("a repeated id", frame(5), .invalidArgument), ("a smaller id", frame(3), .invalidArgument),
      ("a length over the limit", frame(7, length: 4 << 20 | 1), .resourceExhausted),
      ("the greatest length", frame(7, length: 0xFFFF_FFFF), .resourceExhausted),
      ("an unknown type", frame(7, type: 9), .invalidArgument), ("a response", frame(7, type: 2), .invalidArgument),
      ("data of a stream", frame(5, type: 3, "x"), .invalidArgument),
      ("GOAWAY", frame(0, type: 16, "1234"), .invalidArgument),
      ("CANCEL that wasn't agreed on", frame(5, type: 17), .invalidArgument),
    ])
  func brokenRule(name: String, bytes: [UInt8], code: StatusCode) throws {
    try withServer { server, _ in
      let client = try Client(server.endpoint)
      try client.send(frame(5, "earlier") + bytes + frame(101, "never answered"))
      #expect(try client.receive() == .init(5, "earlier"))
      let refusal = try #require(try client.receive())
      #expect(refusal.type == .response && refusal.status == code)
      #expect(try client.receive() == nil)
    }
  }

  @Test("A client that sends no more is still answered, and then hears the end")
  func halfClosed() throws {
    try withServer { server, script in
      let client = try Client(server.endpoint)
      try client.send(frame(1, "p"))
      let kept = script.waitForKept(1)
      client.endWriting()
      #expect(script.waitForCancelled(1) == [1])
      kept[0].finish(frame(1, type: 2, "late"))
      #expect(try client.receive() == .init(1, "late"))
      #expect(try client.receive() == nil)
    }
  }

  @Test("A public address is refused")
  func publicAddress() throws {
    let everywhere = try #require(Endpoint("0.0.0.0:0"))
    #expect(throws: ServerError.self) { try Server(on: everywhere) { Script() } }
  }
}
