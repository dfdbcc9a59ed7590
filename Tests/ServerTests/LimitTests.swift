import LatchkeyWire
import Platform
import Server
import Testing

@Suite("Limits of a server")
struct LimitTests {
  @Test("Requests in flight are taken up to the limit, and one more is refused at once", arguments: [3, 4, 5])
  func inFlight(count: Int) throws {
    try withServer({ $0.requestsInFlight = 4 }) { server, script in
      let client = try Client(server.endpoint)
      let ids = (0..<count).map { UInt32($0 * 2 + 1) }
      try client.send(ids.flatMap { frame($0, "p") })
      for responder in script.waitForKept(min(count, 4)) { responder.finish(frame(responder.streamID, type: 2, "done")) }
      let received = try client.receive(count)
      #expect(received.filter { $0.status == .resourceExhausted }.map(\.streamID) == ids.dropFirst(4).map { $0 })
      #expect(received.filter { $0.data == Array("done".utf8) }.map(\.streamID) == ids.prefix(4).map { $0 })
    }
  }

  @Test("A stream that has had its final frame frees its place, once")
  func placeIsFreed() throws {
    try withServer({ $0.requestsInFlight = 1 }) { server, script in
      let client = try Client(server.endpoint)
      for number in 0..<10 {
        let id = UInt32(number * 2 + 1)
        try client.send(frame(id, "p"))
        let responder = script.waitForKept(number + 1)[number]
        for _ in 0..<3 { responder.finish(frame(id, type: 2, "done")) }
        #expect(try client.receive() == .init(id, "done"))
      }
    }
  }

  @Test("Frames are taken up to the limit on their data", arguments: [true, false], [-1, 0, 1])
  func frameSize(isTrusted: Bool, excess: Int) throws {
    let limit = isTrusted ? 4 << 20 : 16 << 10
    try withServer(trusting: isTrusted) { server, _ in
      let client = try Client(server.endpoint)
      try client.send(frame(1, String(repeating: "a", count: limit + excess)))
      let answer = try #require(try client.receive())
      if excess > 0 {
        #expect(answer.status == .resourceExhausted)
        #expect(try client.receive() == nil)
      } else {
        #expect(answer.data.count == limit + excess)
      }
    }
  }

  @Test("A connection that becomes trusted may send long frames")
  func trusted() throws {
    try withServer(trusting: false) { server, _ in
      let client = try Client(server.endpoint)
      try client.send(frame(1, "t"))
      #expect(try client.receive() == .init(1, "t"))
      try client.send(frame(3, String(repeating: "a", count: 1 << 20)))
      #expect(try client.receive()?.data.count == 1 << 20)
    }
  }

  @Test("Connections are accepted up to the limit, and one more is closed", arguments: [2, 3, 4])
  func connections(count: Int) throws {
    try withServer({ $0.connections = 3 }) { server, _ in
      let clients = try (0..<count).map { _ in try Client(server.endpoint) }
      var answered = 0
      for client in clients {
        try client.send(frame(1, "hello"))
        if try client.receive() != nil { answered += 1 }
      }
      #expect(answered == min(count, 3))
      #expect(server.openConnections == answered)
    }
  }

  @Test("A thousand idle connections stay open, and each is answered")
  func manyConnections() throws {
    OpenFiles.raiseLimit()
    try withServer(loops: 2) { server, _ in
      let clients = try (0..<1_000).map { _ in try Client(server.endpoint) }
      for client in clients { try client.send(frame(1, "here")) }
      for client in clients { #expect(try client.receive() == .init(1, "here")) }
      #expect(server.openConnections == 1_000)
    }
  }

  @Test("A peer that doesn't read is answered no further than its output may grow, and everything once it reads")
  func slowReader() throws {
    try withServer({ $0.outputBytes = 256 << 10 }) { server, script in
      let client = try Client(server.endpoint, kernelBytes: 64 << 10)
      let other = try Client(server.endpoint)
      let ids = (0..<500).map { UInt32($0 * 2 + 1) }
      try client.send(ids.flatMap { frame($0, "b") })
      try other.send(frame(1, "fence"))
      #expect(try other.receive() != nil)
      #expect(script.bigAnswersWritten < ids.count)
      #expect(try client.receive(ids.count).map(\.streamID) == ids)
      #expect(script.bigAnswersWritten == ids.count)
    }
  }

  @Test("A peer that takes nothing of what waits for it is reset")
  func deadReader() throws {
    try withServer({
      $0.outputBytes = 256 << 10
      $0.slowPeer = .milliseconds(50)
    }) { server, _ in
      let client = try Client(server.endpoint, kernelBytes: 64 << 10)
      try client.send((0..<500).flatMap { frame(UInt32($0 * 2 + 1), "b") })
      try client.waitForReset()
    }
  }

  @Test("A frame that is begun and not completed ends the connection", arguments: [1, 9, 10, 11])
  func unfinishedFrame(byteCount: Int) throws {
    try withServer(trusting: false, { $0.untrustedFrame = .milliseconds(20) }) { server, _ in
      let client = try Client(server.endpoint)
      try client.send(Array(frame(1, "ab").prefix(byteCount)))
      #expect(try client.receive() == nil)
    }
  }
}
