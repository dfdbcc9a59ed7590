import LatchkeyWire
import Platform
import Server
import Testing

@Suite("Answers that come later")
struct StreamTests {
  @Test("A cancelled stream gets its one final frame, and only that")
  func cancel() throws {
    try withServer { server, script in
      let client = try Client(server.endpoint)
      try client.send(frame(1, "h") + frame(3, "p") + frame(3, type: 17))
      #expect(try client.receive() == .init(1, "h"))
      #expect(script.waitForCancelled(1) == [3])
      let responder = script.kept[0]
      #expect(responder.isCancelled)
      #expect(responder.send(frame(3, type: 3, "more")) == .cancelled)
      responder.finish(frame(3, type: 2, "over"))
      #expect(try client.receive() == .init(3, "over"))
    }
  }

  @Test("A cancel of a stream that has ended, or never began, is ignored")
  func lateCancel() throws {
    try withServer { server, script in
      let client = try Client(server.endpoint)
      try client.send(frame(1, "h") + frame(1, type: 17) + frame(99, type: 17) + frame(3, "after"))
      #expect(try client.receive(2) == [.init(1, "h"), .init(3, "after")])
      #expect(script.cancelled.isEmpty)
    }
  }

  @Test("A responder of a connection that is gone does no harm, also when its place has been taken")
  func stale() throws {
    try withServer { server, script in
      do {
        let client = try Client(server.endpoint)
        try client.send(frame(1, "p") + frame(3, "q"))
        #expect(try client.receive(1) == [.init(3, "q")])
      }
      #expect(script.waitForCancelled(1) == [1])
      let responder = script.kept[0]
      #expect(responder.isCancelled)
      let successor = try Client(server.endpoint)
      try successor.send(frame(1, "p"))
      let later = script.waitForKept(2)[1]
      responder.finish(frame(1, type: 2, "stale"))
      later.finish(frame(1, type: 2, "fresh"))
      #expect(try successor.receive() == .init(1, "fresh"))
    }
  }

  @Test("A responder outlives its server")
  func afterStop() throws {
    var responders: [Responder] = []
    try withServer { server, script in
      let client = try Client(server.endpoint)
      try client.send(frame(1, "p"))
      responders = script.waitForKept(1)
    }
    #expect(responders[0].isCancelled)
    responders[0].finish(frame(1, type: 2, "too late"))
  }

  @Test("A stream is told when its reader is slow, and can go on once the reader has read")
  func backPressure() throws {
    try withServer({ $0.outputBytes = 256 << 10 }) { server, script in
      let client = try Client(server.endpoint, kernelBytes: 64 << 10)
      try client.send(frame(1, "p"))
      let responder = script.waitForKept(1)[0]
      let event = frame(1, type: 3, Script.bigAnswer)
      var sent = 0
      while sent < 10_000, responder.send(event) == .sent { sent += 1 }
      #expect(sent < 10_000)
      responder.finish(frame(1, type: 2, "over"))
      let received = try client.receive(sent + 1)
      #expect(received.dropLast().allSatisfy { $0.type == .data && $0.data.count == 64 << 10 })
      #expect(received.last == .init(1, "over"))
    }
  }

  @Test("Threads that answer at the same time lose nothing and mix nothing")
  func manyThreads() throws {
    try withServer(loops: 2) { server, script in
      let clients = try (0..<4).map { _ in try Client(server.endpoint) }
      let ids = (0..<500).map { UInt32($0 * 2 + 1) }
      for client in clients { try client.send(ids.flatMap { frame($0, "p") }) }
      let kept = script.waitForKept(2_000)
      let threads = try (0..<4).map { part in
        try Finisher(kept.enumerated().filter { $0.offset % 4 == part }.map(\.element))
      }
      for client in clients {
        let received = try client.receive(ids.count)
        #expect(received.allSatisfy { $0.data == Array("\($0.streamID)".utf8) })
        #expect(received.map(\.streamID).sorted() == ids)
      }
      for thread in threads { thread.join() }
    }
  }

  @Test("A drained server says GOAWAY to those who asked, finishes what it has, takes no more and closes")
  func drain() throws {
    try withServer(loops: 2) { server, script in
      let client = try Client(server.endpoint)
      let plain = try Client(server.endpoint)
      try client.send(frame(1, "h") + frame(3, "p"))
      try plain.send(frame(1, "p"))
      #expect(try client.receive() == .init(1, "h"))
      let kept = script.waitForKept(2)
      let drainer = try Thread(named: "drain") { server.drain(within: .seconds(10)) }
      #expect(try client.receive() == .init(0, "\0\0\0\u{3}", type: .goAway))
      try client.send(frame(5, "too late"))
      #expect(try client.receive()?.status == .unavailable)
      for responder in kept { responder.finish(frame(responder.streamID, type: 2, "done")) }
      #expect(try client.receive() == .init(3, "done"))
      #expect(try client.receive() == nil)
      #expect(try plain.receive() == .init(1, "done"))
      #expect(try plain.receive() == nil)
      drainer.join()
      #expect(throws: SystemError.self) { try Client(server.endpoint) }
    }
  }

  @Test("A drain ends at its bound, whatever is unfinished")
  func drainBound() throws {
    try withServer { server, script in
      let client = try Client(server.endpoint)
      try client.send(frame(1, "p"))
      _ = script.waitForKept(1)
      server.drain(within: .milliseconds(20))
      #expect(try client.receive() == nil)
      #expect(script.cancelled == [1])
    }
  }
}

/// A thread that finishes streams with their ids.
private final class Finisher: Sendable {
  private let monitor = Monitor()
  private nonisolated(unsafe) var isDone = false

  init(_ responders: [Responder]) throws {
    _ = try Thread(named: "finisher") { [self] in
      for responder in responders { responder.finish(frame(responder.streamID, type: 2, "\(responder.streamID)")) }
      monitor.withLock {
        unsafe isDone = true
        monitor.broadcast()
      }
    }
  }

  func join() { monitor.withLock { while unsafe !isDone { monitor.wait() } } }
}
