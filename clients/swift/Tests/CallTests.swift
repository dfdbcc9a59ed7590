import LatchkeyWire
import Protobuf
import Testing

@testable import LatchkeyClient

@Suite("Calls", .timeLimit(.minutes(2)))
struct CallTests {
  let peer = FakePeer()

  func client(_ change: (inout Options) -> Void = { _ in }) throws -> Latchkey {
    var options = Options()
    options.deadline = .seconds(60)
    options.backoff = Backoff(first: .milliseconds(1), greatest: .milliseconds(5))
    change(&options)
    return try Latchkey(host: "127.0.0.1", port: peer.port, options: options)
  }

  @Test("Answers reach their callers in whatever order they come")
  func answersOutOfOrder() async throws {
    let client = try client()
    async let first = client.checkAccess(customer: "first", entitlement: "pro")
    async let second = client.checkAccess(customer: "second", entitlement: "pro")
    let connection = await peer.accept()
    let requests = [await connection.receive(), await connection.receive()]
    for request in requests.reversed() {
      connection.answer(request.streamID, CheckAccessResponse.with { $0.allowed = request.check.customerID == "second" })
    }
    #expect(try await first.allowed == false)
    #expect(try await second.allowed)
  }

  @Test("Hello and the first request need no round trip between them")
  func helloIsPipelined() async throws {
    let client = try client { $0.token = "secret" }
    async let answer = client.health()
    let connection = await peer.accept()  // takes Hello and doesn't answer it
    let request = await connection.receive()
    #expect(request.request.service == "grpc.health.v1.Health")
    connection.answer(request.streamID, HealthCheckResponse.with { $0.status = .serving })
    #expect(try await answer == .serving)
  }

  @Test("A thousand tasks share one connection")
  func manyCallers() async throws {
    let (client, peer) = (try client(), peer)
    let served = Task {
      let connection = await peer.welcome()
      for _ in 0..<1_000 {
        let request = await connection.receive()
        connection.answer(request.streamID, CheckAccessResponse.with { $0.revision = UInt64(request.check.customerID) ?? 0 })
      }
    }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          try await client.checkAccess(customer: "\(number)", entitlement: "pro").revision == UInt64(number)
        }
      }
      for try await isOwn in group { #expect(isOwn) }
    }
    await served.value
  }

  @Test("More requests than the server takes wait for a place")
  func limitInFlight() async throws {
    let client = try client()
    let connection = try await warmConnection(of: client, .with { $0.requestsInFlight = 1 })
    let tasks = (0..<20).map { _ in Task { try await client.checkAccess(customer: "a", entitlement: "pro") } }
    for _ in tasks { connection.answer(await connection.receive().streamID, CheckAccessResponse.with { $0.allowed = true }) }
    for task in tasks { #expect(try await task.value.allowed) }
  }

  @Test("A status of the server is the error of its call alone")
  func serverStatus() async throws {
    let client = try client()
    let answer = Task { try await client.checkAccess(customer: "alice", entitlement: "") }
    let connection = await peer.welcome()
    connection.refuse(await connection.receive().streamID, .invalidArgument)
    let error = await #expect(throws: LatchkeyError.self) { try await answer.value }
    #expect(error?.code == .invalidArgument && error?.isRetryable == false && error?.outcomeIsUnknown == false)
  }

  @Test("A deadline travels with the request and ends the call here; the late answer is dropped")
  func deadline() async throws {
    let client = try client()
    let connection = try await warmConnection(of: client)
    let answer = Task {
      try await client.checkAccess(customer: "late", entitlement: "pro", deadline: .after(.milliseconds(300)))
    }
    let request = await connection.receive()
    #expect((1...300_000_000).contains(request.request.timeoutNanoseconds))
    let error = await #expect(throws: LatchkeyError.self) { try await answer.value }
    #expect(error?.code == .deadlineExceeded && error?.outcomeIsUnknown == false)
    let cancel = await connection.receive()
    #expect(cancel.type == 17 && cancel.streamID == request.streamID)
    connection.answer(request.streamID, CheckAccessResponse())
    try await expectLife(of: client, on: connection)
  }

  @Test("A recording that was sent and not answered in time may have been done")
  func deadlineOfRecording() async throws {
    let client = try client()
    let connection = try await warmConnection(of: client)
    let answer = Task {
      try await client.recordTransaction(RecordTransactionRequest(), deadline: .after(.milliseconds(300)))
    }
    _ = await connection.receive()
    let error = await #expect(throws: LatchkeyError.self) { try await answer.value }
    #expect(error?.code == .deadlineExceeded && error?.outcomeIsUnknown == true && error?.isRetryable == true)
  }

  @Test("Cancelling the task tells the server, and the late answer is dropped")
  func cancellation() async throws {
    let client = try client()
    let connection = try await warmConnection(of: client)
    let task = Task { try await client.checkAccess(customer: "gone", entitlement: "pro") }
    let request = await connection.receive()
    task.cancel()
    let error = await #expect(throws: LatchkeyError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    let cancel = await connection.receive()
    #expect(cancel.type == 17 && cancel.streamID == request.streamID && cancel.data.isEmpty)
    connection.answer(request.streamID, CheckAccessResponse())
    try await expectLife(of: client, on: connection)
  }

  @Test("A task that is cancelled already doesn't wait")
  func cancelledBefore() async throws {
    let client = try client()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await client.checkAccess(customer: "alice", entitlement: "pro", deadline: .never)
    }
    task.cancel()
    let error = await #expect(throws: LatchkeyError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test("Closing fails the calls that wait, and each later one")
  func close() async throws {
    let client = try client()
    let answer = Task { try await client.checkAccess(customer: "alice", entitlement: "pro") }
    let connection = await peer.welcome()
    _ = await connection.receive()
    client.close()
    let error = await #expect(throws: LatchkeyError.self) { try await answer.value }
    #expect(error?.code == .cancelled)
    await #expect(throws: LatchkeyError.self) { try await client.health() }
    #expect(await connection.receive().type == 0)
  }

  @Test("A message over 4 MiB is refused before it is sent", arguments: [4 << 20, (4 << 20) + 1])
  func frameLimit(bytes: Int) async throws {
    let client = try client()
    let payload = [UInt8](repeating: 0, count: bytes)
    let answer = Task { try await client.call(service: "a", method: "b", payload: payload) }
    if bytes == 4 << 20 { _ = await peer.welcome() }  // its envelope makes it too long, which shows when it is sent
    let error = await #expect(throws: LatchkeyError.self) { try await answer.value }
    #expect(error?.code == .resourceExhausted)
  }

  @Test("Every page of a history is asked for by the token of the page before")
  func historyPages() async throws {
    let (client, peer) = (try client(), peer)
    let served = Task {
      let connection = await peer.welcome()
      for next in ["2", "3", ""] {
        let request = await connection.receive()
        connection.answer(request.streamID, GetHistoryResponse.with { $0.nextPageToken = next })
      }
    }
    var pages: [String] = []
    for try await page in client.historyPages(.with { $0.customerID = "alice" }) { pages.append(page.nextPageToken) }
    #expect(pages == ["2", "3", ""])
    await served.value
  }

  @Test("A stream gives its messages and ends", arguments: [true, false])
  func stream(lastMessageEnds: Bool) async throws {
    let (client, peer) = (try client(), peer)
    let steps = client.rebuildEntitlements(.with { $0.everyone = true })
    let connection = await peer.welcome()
    let streamID = await connection.receive().streamID
    connection.send(streamID, type: 3, RebuildProgress.with { $0.customers = 1 }.encoded())
    let last = RebuildProgress.with { $0.customers = 2 }.encoded()
    connection.send(streamID, type: 3, flags: lastMessageEnds ? 1 : 0, last)
    if !lastMessageEnds { connection.send(streamID, type: 3, flags: 1 | 4, []) }
    var customers: [UInt64] = []
    for try await step in steps { customers.append(step.customers) }
    #expect(customers == [1, 2])
  }

  @Test("A stream that fails throws after its messages")
  func streamFailure() async throws {
    let client = try client()
    var steps = client.rebuildEntitlements(RebuildEntitlementsRequest()).makeAsyncIterator()
    let connection = await peer.welcome()
    let streamID = await connection.receive().streamID
    connection.send(streamID, type: 3, RebuildProgress.with { $0.customers = 1 }.encoded())
    connection.refuse(streamID, .dataLoss)
    #expect(try await steps.next()?.customers == 1)
    let error = await #expect(throws: LatchkeyError.self) { try await steps.next() }
    #expect(error?.code == .dataLoss)
  }

  @Test("Leaving a stream before its end gives it up")
  func leavingStream() async throws {
    let client = try client()
    let reader = Task {
      for try await step in client.rebuildEntitlements(RebuildEntitlementsRequest()) { return step.customers }
      return 0
    }
    let connection = await peer.welcome()
    let streamID = await connection.receive().streamID
    connection.send(streamID, type: 3, RebuildProgress.with { $0.customers = 1 }.encoded())
    #expect(try await reader.value == 1)
    let cancel = await connection.receive()
    #expect(cancel.type == 17 && cancel.streamID == streamID)
  }

  @Test("A reader that falls too far behind fails, and takes no memory without end")
  func slowReader() async throws {
    let client = try client()
    let steps = client.rebuildEntitlements(RebuildEntitlementsRequest())
    let connection = await peer.welcome()
    let streamID = await connection.receive().streamID
    for number in 1...1_025 {
      connection.send(streamID, type: 3, RebuildProgress.with { $0.customers = UInt64(number) }.encoded())
    }
    #expect(await connection.receive().type == 17)
    var read = 0
    let error = await #expect(throws: LatchkeyError.self) { for try await _ in steps { read += 1 } }
    #expect(error?.code == .resourceExhausted && read == 1_024)
  }

  @Test(
    "Text that is no numeric address is refused", arguments: ["", "7450", "example.com:7450", "127.0.0.1:0", "1.2.3.4:65536"])
  func badAddresses(text: String) {
    #expect(throws: LatchkeyError.self) { try Latchkey(address: text) }
  }

  @Test("Numeric addresses and localhost are taken", arguments: ["127.0.0.1:7450", "[::1]:7450", "localhost:1"])
  func goodAddresses(text: String) throws {
    try Latchkey(address: text).close()
  }

  /// Connects, so that the client has read the answer to Hello and knows the limits and that it may send CANCEL.
  private func warmConnection(of client: Latchkey, _ limits: Limits = .published) async throws -> PeerConnection {
    async let hello = client.hello()
    let connection = await peer.welcome(limits)
    connection.answer(await connection.receive().streamID, HelloResponse())
    _ = try await hello
    return connection
  }

  /// The connection still answers.
  private func expectLife(of client: Latchkey, on connection: PeerConnection) async throws {
    async let answer = client.checkAccess(customer: "alive", entitlement: "pro")
    let request = await connection.receive()
    #expect(request.check.customerID == "alive")
    connection.answer(request.streamID, CheckAccessResponse.with { $0.allowed = true })
    #expect(try await answer.allowed)
  }
}
