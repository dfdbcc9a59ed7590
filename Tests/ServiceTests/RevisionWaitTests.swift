import LatchkeyWire
import Protobuf
import Service
import Testing

/// Requests that ask for a revision.
@Suite struct RevisionWaitTests {
  let running: RunningService

  init() throws { running = try RunningService() }

  /// What the state becomes with one more recording.
  private var nextRevision: UInt64 { running.store.revision + 1 }

  @Test("A check, a batch and a list wait until the state includes the revision that they ask for")
  func reached() throws {
    let check = CheckAccessRequest(customerID: "alice", entitlement: "monthly", minRevision: nextRevision)
    let list = ListEntitlementsRequest.with { ($0.customerID, $0.minRevision) = ("alice", nextRevision) }
    let streams = [
      running.send(Request(.checkAccess, check)),
      running.send(Request(.checkAccessBatch, CheckAccessBatchRequest.with { $0.checks = [check, check] })),
      running.send(Request(.listEntitlements, list)),
    ]
    #expect(running.line.endedStreams.isEmpty)
    let revision = try running.record(.subscription("1")).revision
    let single = try CheckAccessResponse(decoding: running.response(on: streams[0]).payload)
    #expect(single.reason != .unknownCustomer)
    #expect(single.revision == revision)
    let batch = try CheckAccessBatchResponse(decoding: running.response(on: streams[1]).payload)
    #expect(batch.results.map(\.reason) == [single.reason, single.reason])
    #expect(batch.results.map(\.statusCode) == [.ok, .ok])
    #expect(try ListEntitlementsResponse(decoding: running.response(on: streams[2]).payload).customerKnown)
  }

  @Test("A revision that is already there is not waited for")
  func alreadyThere() throws {
    let revision = try running.record(.subscription("1")).revision
    let check = CheckAccessRequest(customerID: "alice", entitlement: "monthly", minRevision: revision)
    let streamID = running.send(Request(.checkAccess, check))
    #expect(running.line.endedStreams.last == streamID)
  }

  @Test("A revision that doesn't come is DEADLINE_EXCEEDED, and the answer names both revisions", arguments: [1, 20_000_000])
  func deadline(timeout: Int64) throws {
    let check = CheckAccessRequest(customerID: "alice", entitlement: "pro", minRevision: 4_711)
    let list = ListEntitlementsRequest.with { ($0.customerID, $0.minRevision) = ("alice", 4_711) }
    for status in [
      try running.failure(.checkAccess, check, timeout: timeout), try running.failure(.listEntitlements, list, timeout: timeout),
    ] {
      #expect(status.code == .deadlineExceeded)
      // A list's deadline may pass before its work begins.
      let isNamed = status.message.contains("4711") && status.message.contains("it is at \(running.store.revision)")
      #expect(isNamed || status.message.contains("before the work began"))
    }
  }

  @Test("One check of a batch that waits in vain doesn't spoil the others")
  func batchDeadline() throws {
    try running.record(.subscription("1"))
    let batch = CheckAccessBatchRequest.with {
      $0.checks = [
        CheckAccessRequest(customerID: "alice", entitlement: "monthly"),
        CheckAccessRequest(customerID: "alice", entitlement: "monthly", minRevision: 4_711),
        CheckAccessRequest(customerID: "", entitlement: "monthly", minRevision: 4_711),
      ]
    }
    let results = try running.call(.checkAccessBatch, batch, as: CheckAccessBatchResponse.self, timeout: 20_000_000).results
    #expect(results.map(\.statusCode) == [.ok, .deadlineExceeded, .invalidArgument])
    #expect(results[0].reason != .unknownCustomer)
    #expect(results[1].statusMessage.hasPrefix("min_revision: "))
  }

  @Test("A check of a batch that is wrong isn't waited for")
  func wrongCheck() throws {
    let batch = CheckAccessBatchRequest.with {
      $0.checks = [CheckAccessRequest(customerID: "", entitlement: "pro", minRevision: .max)]
    }
    let streamID = running.send(Request(.checkAccessBatch, batch))
    #expect(running.line.endedStreams == [streamID])
  }

  @Test("A client that gives up a wait is told CANCELLED")
  func cancelled() throws {
    let check = CheckAccessRequest(customerID: "alice", entitlement: "pro", minRevision: 4_711)
    let streamID = running.send(Request(.checkAccess, check))
    running.line.cancel(streamID)
    #expect(try running.response(on: streamID).status?.code == .cancelled)
  }

  @Test("A list that is wrong is refused at once, whatever it waits for")
  func wrongList() throws {
    let list = ListEntitlementsRequest.with { ($0.customerID, $0.minRevision) = (text(129), .max) }
    #expect(try running.failure(.listEntitlements, list).message.hasPrefix("customer_id: "))
  }

  @Test("A timeout below zero sets no deadline, and the greatest one sets one", arguments: [Int64.min, -1, .max])
  func oddTimeouts(timeout: Int64) throws {
    let list = ListEntitlementsRequest.with { $0.customerID = "alice" }
    #expect(try !running.call(.listEntitlements, list, as: ListEntitlementsResponse.self, timeout: timeout).customerKnown)
    let check = CheckAccessRequest(customerID: "alice", entitlement: "monthly", minRevision: nextRevision)
    let streamID = running.send(Request(.checkAccess, check, timeoutNanoseconds: timeout))
    try running.record(.subscription("1"))
    #expect(try running.response(on: streamID).status == nil)
  }

  @Test("Work whose deadline passed before it began is not done")
  func lateRecording() throws {
    let request = RecordTransactionRequest.with { ($0.customerID, $0.transaction) = ("alice", .subscription("1")) }
    #expect(try running.failure(.recordTransaction, request, timeout: 1).code == .deadlineExceeded)
    #expect(try running.check("alice", "monthly").reason == .unknownCustomer)
  }
}
