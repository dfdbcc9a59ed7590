import Entitlements
import LatchkeyWire
import Protobuf
import Testing

/// EraseCustomer and MoveCustomer.
@Suite struct CustomerOrderTests {
  let running: RunningService

  init() throws {
    running = try RunningService(catalog: .pro)
    try running.record(.lasting("1", product: "forever"), .lasting("2", product: "other").refunded)
    try running.record(.lasting("3", product: "forever"), for: "bob")
  }

  private func erasure(_ customer: String, by: String = "privacy desk", note: String = "4711") -> EraseCustomerRequest {
    .with { ($0.customerID, $0.by, $0.note) = (customer, by, note) }
  }

  @Test("An erasure says what remains, and with which snapshot the rest is gone")
  func erase() throws {
    let erased = try running.call(.eraseCustomer, erasure("alice"), as: EraseCustomerResponse.self)
    #expect(erased.revision == running.store.revision)
    #expect((erased.transactionsRemoved, erased.transactionsAnonymous, erased.transactionsKept) == (1, 1, 0))
    #expect(erased.changes.map(\.entitlement) == ["forever"] && erased.changes.allSatisfy { !$0.allowed })
    #expect(erased.goneWithSnapshots == 2 && erased.erasures == 1 && erased.erasedAtMilliseconds > 0)
    #expect(try running.check("alice", "forever").reason == .unknownCustomer)
    let history = try running.call(
      .getHistory, GetHistoryRequest.with { $0.transactionID = "1" }, as: GetHistoryResponse.self)
    #expect(history.entries.isEmpty)
    let report = try running.call(.getRefundReport, GetRefundReportRequest(), as: GetRefundReportResponse.self)
    #expect(report.refunds == 1 && report.unclaimed == 0)
    let again = try running.failure(.eraseCustomer, erasure("alice"))
    #expect(again.code == .notFound && again.message == "customer_id: nothing is recorded for customer \"alice\"")
  }

  @Test("A move gives all of it to the other customer")
  func move() throws {
    let request = MoveCustomerRequest.with {
      ($0.fromCustomerID, $0.toCustomerID, $0.by, $0.note) = ("alice", "bob", "support", "merged")
    }
    let moved = try running.call(.moveCustomer, request, as: MoveCustomerResponse.self)
    #expect(moved.transactions == 2 && moved.revision == running.store.revision)
    #expect(moved.changes.map { "\($0.customerID) \($0.entitlement) \($0.allowed)" } == ["alice forever false"])
    #expect(try running.check("alice", "forever").reason == .unknownCustomer)
    #expect(try running.check("bob", "forever").allowed)
    #expect(try running.failure(.moveCustomer, request).code == .notFound)
  }

  @Test("A bad field is INVALID_ARGUMENT and named, and nothing changes")
  func bad() throws {
    let revision = running.store.revision
    let erasures: [(EraseCustomerRequest, String)] = [
      (erasure(""), "customer_id"), (erasure(text(129)), "customer_id"), (erasure("alice", by: ""), "by"),
      (erasure("alice", by: text(129)), "by"), (erasure("alice", note: ""), "note"),
      (erasure("alice", note: text(1_025)), "note"),
    ]
    for (request, field) in erasures {
      let status = try running.failure(.eraseCustomer, request)
      #expect(status.code == .invalidArgument && status.message.hasPrefix("\(field): "), "\(status.message)")
    }
    let moves: [(String, String, String)] = [
      ("", "bob", "from_customer_id"), ("alice", "", "to_customer_id"), ("alice", "alice", "to_customer_id"),
      ("alice", text(129), "to_customer_id"),
    ]
    for (from, to, field) in moves {
      let request = MoveCustomerRequest.with { ($0.fromCustomerID, $0.toCustomerID, $0.by, $0.note) = (from, to, "b", "n") }
      let status = try running.failure(.moveCustomer, request)
      #expect(status.code == .invalidArgument && status.message.hasPrefix("\(field): "), "\(status.message)")
    }
    #expect(running.store.revision == revision)
  }
}
