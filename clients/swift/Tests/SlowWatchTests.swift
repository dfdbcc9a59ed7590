import LatchkeyWire
import Testing

@testable import LatchkeyClient

/// A watch whose reader is slow.
@Suite("A slow reader of a watch")
struct SlowWatchTests {
  private let peer = FakePeer()

  private func event(_ revision: UInt64, isLast: Bool = true) -> [UInt8] {
    WatchEvent.with {
      $0.position = WatchPosition(revision: revision, timeMilliseconds: 1)
      $0.change = .with { $0.customerID = "c\(revision)" }
      $0.checkpoint = isLast
    }.encoded()
  }

  private func begin(
    resumes: Bool = true, _ request: WatchChangesRequest = WatchChangesRequest()
  ) async throws -> (events: WatchedChanges.AsyncIterator, connection: PeerConnection, streamID: UInt32) {
    let client = try Latchkey(host: "127.0.0.1", port: peer.port)
    // The answer to Hello is read before the watch begins, so that the client knows that it may send CANCEL.
    async let hello = client.hello()
    let connection = await peer.welcome()
    connection.answer(await connection.receive().streamID, HelloResponse())
    _ = try await hello
    var watch = client.watchChanges(request, resumes: resumes)
    watch.bufferLimit = 4
    let events = watch.makeAsyncIterator()
    return (events, connection, await connection.receive().streamID)
  }

  @Test("The watch is given up when too much waits, and goes on behind what is read")
  func goesOn() async throws {
    let (events, connection, streamID) = try await begin()
    for number in 1...5 as ClosedRange<UInt64> { connection.send(streamID, type: 3, event(number)) }
    let cancel = await connection.receive()
    #expect(cancel.type == 17 && cancel.streamID == streamID)
    connection.refuse(streamID, .cancelled)
    let reader = Task {
      var (events, revisions) = (events, [UInt64]())
      while revisions.count < 8, let event = try await events.next() { revisions.append(event.position?.revision ?? 0) }
      return revisions
    }
    let again = await connection.receive()
    let request = try WatchChangesRequest(decoding: again.request.payload)
    #expect(request.from == WatchPosition(revision: 4, timeMilliseconds: 1))
    for number in 5...8 as ClosedRange<UInt64> { connection.send(again.streamID, type: 3, event(number)) }
    #expect(try await reader.value == Array(1...8))
  }

  @Test("Where there is nowhere to go on from, it ends in RESOURCE_EXHAUSTED", arguments: [0, 1, 2])
  func fails(reason: Int) async throws {
    let request = WatchChangesRequest.with { $0.snapshotFirst = reason == 1 }
    var (events, connection, streamID) = try await begin(resumes: reason != 2, request)
    // The changes of one position alone, present answers, and a watch that isn't to resume.
    for number in 1...5 { connection.send(streamID, type: 3, event(reason == 2 ? UInt64(number) : 1, isLast: reason == 2)) }
    #expect(await connection.receive().type == 17)
    var (read, code) = (0, StatusCode.ok)
    do {
      while try await events.next() != nil { read += 1 }
    } catch { code = error.code }
    #expect(code == .resourceExhausted)
    #expect(read == (reason == 0 ? 0 : 4))
  }
}
