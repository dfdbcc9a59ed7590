import LatchkeyWire
import Testing

/// AuditAccess.
@Suite struct AuditTests {
  @Test("An audit says what was known, what is known, and what came between")
  func audit() throws {
    let running = try RunningService(catalog: .pro)
    try running.record(.lasting("1", product: "forever"))
    let first = try running.call(
      .auditAccess, AuditAccessRequest.with { $0.customerID = "alice" }, as: AuditAccessResponse.self)
    #expect(first.answers.map(\.then?.entitlement) == ["forever"] && first.later.isEmpty)
    #expect(first.known.map(\.transaction?.transactionID) == ["1"] && first.customerWasKnown)
    #expect(first.revision == running.store.revision && first.knownRevision == first.revision)
    let early = try running.call(
      .auditAccess, AuditAccessRequest.with { ($0.customerID, $0.atTimeMilliseconds) = ("alice", RunningService.now) },
      as: AuditAccessResponse.self)
    #expect(!early.customerWasKnown && early.customerIsKnown && early.known.isEmpty)
    #expect(early.answers.map(\.then?.reason) == [.unknownCustomer] && early.answers.map(\.today?.allowed) == [true])
    #expect(early.later.map { "\($0.kind) \($0.source) \($0.transactionIDs)" } == ["recording DEVICE [\"1\"]"])
  }

  @Test("A moment before what is kept is OUT_OF_RANGE with the oldest one")
  func outOfRange() throws {
    let running = try RunningService(catalog: .pro)
    for id in ["1", "2", "3"] {
      try running.record(.lasting(id, product: "forever"))
      // What is erased begins a new segment, so that the snapshots let go of what is before it.
      try running.record(.lasting("x" + id, product: "other"), for: "bob")
      let erasure = EraseCustomerRequest.with { ($0.customerID, $0.by, $0.note) = ("bob", "b", "n") }
      _ = try running.call(.eraseCustomer, erasure, as: EraseCustomerResponse.self)
      _ = try running.call(.takeSnapshot, TakeSnapshotRequest(), as: TakeSnapshotResponse.self)
    }
    let request = AuditAccessRequest.with { ($0.customerID, $0.atTimeMilliseconds) = ("alice", RunningService.now) }
    let status = try running.failure(.auditAccess, request)
    #expect(status.code == .outOfRange && status.message.contains("tells what was known from 20"), "\(status.message)")
  }

  @Test("A bad field is INVALID_ARGUMENT and named", arguments: [("", "", 0, "customer_id"), ("a", "", -1, "at_time_ms")])
  func bad(customer: String, entitlement: String, moment: Int64, field: String) throws {
    let request = AuditAccessRequest.with {
      ($0.customerID, $0.entitlement, $0.atTimeMilliseconds) = (customer, entitlement, moment)
    }
    let status = try RunningService().failure(.auditAccess, request)
    #expect(status.code == .invalidArgument && status.message.hasPrefix("\(field): "), "\(status.message)")
  }
}
