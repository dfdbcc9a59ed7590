import LatchkeyWire
import Protobuf
import TestSupport
import Testing

@testable import LatchkeyClient

@Suite("Reconnection", .timeLimit(.minutes(2)))
struct ReconnectionTests {
  let peer = FakePeer()

  func client(_ change: (inout Options) -> Void = { _ in }) throws -> Latchkey {
    var options = Options()
    options.deadline = .seconds(60)
    options.backoff = Backoff(first: .milliseconds(1), greatest: .milliseconds(5))
    change(&options)
    return try Latchkey(host: "127.0.0.1", port: peer.port, options: options)
  }

  @Test("A check is asked again on the next connection when its own is lost")
  func checkIsRepeated() async throws {
    let client = try client()
    async let answer = client.checkAccess(customer: "alice", entitlement: "pro")
    let lost = await peer.welcome()
    #expect(await lost.receive().check.customerID == "alice")
    lost.hangUp()
    let connection = await peer.welcome()
    let again = await connection.receive()
    #expect(again.check.customerID == "alice")
    connection.answer(again.streamID, CheckAccessResponse.with { $0.allowed = true })
    #expect(try await answer.allowed)
  }

  @Test("A check that loses five connections in a row fails")
  func checkGivesUp() async throws {
    let client = try client()
    let answer = Task { try await client.checkAccess(customer: "deadly", entitlement: "pro") }
    for _ in 0..<5 {
      let connection = await peer.welcome()
      _ = await connection.receive()
      connection.hangUp()
    }
    let error = await #expect(throws: LatchkeyError.self) { try await answer.value }
    #expect(error?.code == .unavailable)
  }

  @Test("A recording that was sent isn't sent again when its connection is lost")
  func recordingIsNotRepeated() async throws {
    let client = try client()
    let answer = Task { try await client.recordTransaction(RecordTransactionRequest()) }
    let lost = await peer.welcome()
    #expect(await lost.receive().request.methodNumber == 3)
    lost.hangUp()
    let error = await #expect(throws: LatchkeyError.self) { try await answer.value }
    #expect(error?.code == .unknown && error?.outcomeIsUnknown == true && error?.isRetryable == true)
    async let next = client.checkAccess(customer: "next", entitlement: "pro")
    let connection = await peer.welcome()
    let request = await connection.receive()
    #expect(request.check.customerID == "next", "nothing was sent before it")
    connection.answer(request.streamID, CheckAccessResponse())
    _ = try await next
  }

  @Test("A recording that the server answers UNAVAILABLE wasn't done, and is sent again")
  func unavailableIsRepeated() async throws {
    let client = try client()
    async let answer = client.recordTransaction(RecordTransactionRequest())
    let connection = await peer.welcome()
    for _ in 0..<3 { connection.refuse(await connection.receive().streamID, .unavailable) }
    connection.answer(await connection.receive().streamID, RecordTransactionResponse.with { $0.revision = 7 })
    #expect(try await answer.revision == 7)
  }

  @Test("Requests that a draining server won't answer go to the next connection, and the others are finished")
  func goAway() async throws {
    let client = try client()
    async let first = client.recordTransaction(.with { $0.customerID = "first" })
    let draining = await peer.welcome()
    let answered = await draining.receive()
    async let second = client.recordTransaction(.with { $0.customerID = "second" })
    #expect(await draining.receive().streamID == answered.streamID + 2)
    draining.send(0, type: 16, [0, 0, 0, UInt8(answered.streamID)])
    let connection = await peer.welcome()
    connection.answer(await connection.receive().streamID, RecordTransactionResponse.with { $0.revision = 2 })
    #expect(try await second.revision == 2)
    draining.answer(answered.streamID, RecordTransactionResponse.with { $0.revision = 1 })
    #expect(try await first.revision == 1)
    #expect(await draining.receive().type == 0, "the drained connection is closed")
  }

  /// Bytes that no server may send, by what is wrong with them.
  static let breaches: [(name: String, bytes: [UInt8])] = [
    ("a length over the limit", [0, 64, 0, 1, 0, 0, 0, 3, 2, 0]),
    ("an unknown type", [0, 0, 0, 0, 0, 0, 0, 3, 9, 0]),
    ("a request", [0, 0, 0, 0, 0, 0, 0, 3, 1, 0]),
    ("an answer to nothing", [0, 0, 0, 0, 0, 0, 0, 99, 2, 0]),
    ("a stream for one answer", [0, 0, 0, 0, 0, 0, 0, 3, 3, 0]),
    ("a GOAWAY without a stream", [0, 0, 0, 0, 0, 0, 0, 0, 16, 0]),
  ]

  @Test("A malformed frame fails every call on its connection, and closes it", arguments: breaches)
  func malformedFrame(breach: (name: String, bytes: [UInt8])) async throws {
    let client = try client()
    let first = Task { try await client.checkAccess(customer: "alice", entitlement: "pro") }
    let connection = await peer.welcome()
    _ = await connection.receive()
    let second = Task { try await client.recordTransaction(RecordTransactionRequest()) }
    _ = await connection.receive()
    connection.send(breach.bytes)
    let error = await #expect(throws: LatchkeyError.self) { try await first.value }
    #expect(error?.code == .internal && error?.message.contains("broke the protocol") == true)
    let other = await #expect(throws: LatchkeyError.self) { try await second.value }
    #expect(other?.code == .internal && other?.outcomeIsUnknown == true)
    #expect(await connection.receive().type == 0)
  }

  @Test("Calls wait for a server that isn't there yet")
  func waitsForServer() async throws {
    let port = FakePeer().port  // was free a moment ago, and nobody listens
    var options = Options()
    options.deadline = .seconds(60)
    options.backoff = Backoff(first: .milliseconds(1), greatest: .milliseconds(20))
    let client = try Latchkey(host: "localhost", port: port, options: options)
    async let answer = client.checkAccess(customer: "alice", entitlement: "pro")
    let refused = await #expect(throws: LatchkeyError.self) {
      try await client.checkAccess(customer: "hasty", entitlement: "pro", deadline: .after(.milliseconds(50)))
    }
    #expect(refused?.code == .unavailable)
    let connection = await FakePeer(port: port).welcome()
    let request = await connection.receive()
    connection.answer(request.streamID, CheckAccessResponse())
    _ = try await answer
  }

  @Test("A client that doesn't wait for the server says at once that there is none")
  func doesNotWait() async throws {
    var options = Options()
    options.waitsForServer = false
    let client = try Latchkey(host: "127.0.0.1", port: FakePeer().port, options: options)
    let error = await #expect(throws: LatchkeyError.self) { try await client.takeSnapshot() }
    #expect(error?.code == .unavailable && error?.message.contains("refused") == true)
  }

  @Test("The waits double up to the greatest, and chance spreads them over the whole range")
  func backoff() {
    let backoff = Backoff()
    #expect(
      (0...9).map { backoff.bound(afterFailures: $0) / .milliseconds(1) } == [
        0, 50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000,
      ])
    #expect(backoff.bound(afterFailures: .max) == .seconds(5))
    var random = SeededRandom(seed: 1)
    let waits = (0..<1_000).map { _ in backoff.wait(afterFailures: 3, using: &random) / .milliseconds(200) }
    #expect(waits.allSatisfy { (0...1).contains($0) })
    #expect((waits.min() ?? 1) < 0.05 && (waits.max() ?? 0) > 0.95)
  }
}
