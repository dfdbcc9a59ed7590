import Entitlements
import LatchkeyWire
import Service
import Testing

/// GrantAccess, and where grants show.
@Suite struct GrantTests {
  private static func grant(_ change: (inout GrantAccessRequest) -> Void = { _ in }) -> GrantAccessRequest {
    .with {
      ($0.customerID, $0.entitlement, $0.by, $0.note) = ("alice", "pro", "support", "goodwill")
      change(&$0)
    }
  }

  @discardableResult
  private func call(_ running: RunningService, _ request: GrantAccessRequest) throws -> GrantAccessResponse {
    try running.call(.grantAccess, request, as: GrantAccessResponse.self)
  }

  @Test("A grant without times begins now and never ends, and the answer tells what it changed")
  func give() throws {
    let running = try RunningService()
    let response = try call(running, Self.grant())
    #expect(response.revision == running.store.revision)
    #expect(response.changes.map(\.customerID) == ["alice"])
    #expect(response.changes.map(\.reason) == [.manualGrant])
    let grant = try #require(response.grants.first)
    #expect(grant.fromMilliseconds == grant.recordedAtMilliseconds)
    #expect(grant.untilMilliseconds == nil)
    let check = try running.check("alice", "pro", at: grant.fromMilliseconds)
    #expect(check.allowed)
    #expect(check.reason == .manualGrant)
    #expect(check.ownership == .unspecified)
    #expect(check.validUntilMilliseconds == nil)
  }

  @Test("The very same grant is taken once, and so is taking it back")
  func twice() throws {
    let running = try RunningService()
    let (from, until) = (RunningService.now, RunningService.now + day)
    let grant = Self.grant { ($0.fromMilliseconds, $0.untilMilliseconds) = (from, until) }
    let first = try call(running, grant)
    #expect(try call(running, grant) == .with { ($0.revision, $0.grants) = (first.revision, first.grants) })
    let taking = Self.grant { ($0.takeBack, $0.atMilliseconds, $0.by, $0.note) = (true, from + 1, "boss", "a mistake") }
    let taken = try call(running, taking)
    #expect(taken.grants.map(\.takenBackAtMilliseconds) == [from + 1])
    #expect(taken.grants.map(\.takenBackBy) == ["boss"])
    #expect(taken.grants.map(\.takenBackNote) == ["a mistake"])
    #expect(try call(running, taking).revision == taken.revision)
    #expect(try running.check("alice", "pro", at: from).validUntilMilliseconds == from + 1)
    #expect(try running.check("alice", "pro", at: from + 1).reason == .grantEnded)
  }

  @Test("The answer has the grants of the entitlement alone")
  func others() throws {
    let running = try RunningService()
    try call(running, Self.grant { $0.entitlement = "plus" })
    try call(running, Self.grant { $0.customerID = "bob" })
    #expect(try call(running, Self.grant()).grants.map(\.entitlement) == ["pro"])
  }

  @Test("Lists, histories and explanations know a customer who has nothing but a grant")
  func shown() throws {
    let running = try RunningService()
    try call(running, Self.grant { $0.fromMilliseconds = RunningService.now })
    try call(running, Self.grant { ($0.entitlement, $0.fromMilliseconds) = ("plus", RunningService.now) })
    let list = try running.call(
      .listEntitlements, ListEntitlementsRequest.with { $0.customerID = "alice" }, as: ListEntitlementsResponse.self)
    #expect(list.customerKnown)
    #expect(list.entitlements.map(\.entitlement) == ["plus", "pro"])
    let history = try running.call(
      .getHistory, GetHistoryRequest.with { $0.customerID = "alice" }, as: GetHistoryResponse.self)
    #expect(history.grants.map(\.entitlement) == ["pro", "plus"])
    let request = ExplainAccessRequest.with {
      ($0.customerID, $0.entitlement, $0.atTimeMilliseconds) = ("alice", "pro", RunningService.now + 1)
    }
    let explained = try running.call(.explainAccess, request, as: ExplainAccessResponse.self)
    #expect(explained.customerKnown)
    #expect(explained.answers.map(\.reason) == [.manualGrant])
    #expect(explained.grants.map(\.reason) == [.manualGrant])
    #expect(explained.grants.map(\.grants) == [true])
    #expect(explained.grants.map(\.sinceMilliseconds) == [RunningService.now])
    #expect(explained.grants.map(\.untilMilliseconds) == [nil])
    #expect(explained.grants.first?.sentence.contains("support gave it (goodwill)") == true)
  }

  @Test("Grants stand on the first page of a customer's history, and on no other page or history")
  func pages() throws {
    let running = try RunningService()
    try running.record(.lasting("1", product: "a"), .lasting("2", product: "b"))
    try call(running, Self.grant())
    let first = try running.call(
      .getHistory, GetHistoryRequest.with { ($0.customerID, $0.pageSize) = ("alice", 1) }, as: GetHistoryResponse.self)
    let second = try running.call(
      .getHistory,
      GetHistoryRequest.with { ($0.customerID, $0.pageSize, $0.pageToken) = ("alice", 1, first.nextPageToken) },
      as: GetHistoryResponse.self)
    let lineage = try running.call(
      .getHistory, GetHistoryRequest.with { $0.originalTransactionID = "1" }, as: GetHistoryResponse.self)
    #expect([first, second, lineage].map(\.grants.count) == [1, 0, 0])
    #expect([first, second, lineage].map(\.entries.count) == [1, 1, 1])
  }

  @Test("As many grants as a customer may have fit into a history and an answer, and one more is refused")
  func mostGrants() throws {
    let running = try RunningService()
    let streams = (0..<Ledger.grantLimit).map { index in
      let request = Self.grant {
        ($0.entitlement, $0.by, $0.note, $0.fromMilliseconds) = (text(128), text(128), text(1_024), Int64(index) + 1)
      }
      return running.send(Request(.grantAccess, request))
    }
    for stream in streams { #expect(try running.response(on: stream).status == nil) }
    let status = try running.failure(.grantAccess, Self.grant())
    #expect(status.code == .failedPrecondition)
    #expect(status.message == "customer_id: alice has 1000 manual grants, and more aren't taken")
    let taking = Self.grant { ($0.entitlement, $0.by, $0.note, $0.takeBack) = (text(128), text(128), text(1_024), true) }
    #expect(try call(running, taking).grants.count == 1_000)
    let history = try running.call(
      .getHistory, GetHistoryRequest.with { $0.customerID = "alice" }, as: GetHistoryResponse.self)
    #expect(history.grants.count == 1_000)
  }

  /// Requests that can never be right, with the field that is to be named.
  static let bad: [(GrantAccessRequest, String)] = [
    (grant { $0.customerID = "" }, "customer_id"), (grant { $0.customerID = text(129) }, "customer_id"),
    (grant { $0.entitlement = "" }, "entitlement"), (grant { $0.entitlement = text(129) }, "entitlement"),
    (grant { $0.by = "" }, "by"), (grant { $0.note = "" }, "note"), (grant { $0.note = " " }, "note"),
    (grant { $0.fromMilliseconds = -1 }, "from_ms"), (grant { $0.untilMilliseconds = 0 }, "until_ms"),
    (grant { $0.untilMilliseconds = .max }, "until_ms"),
    (grant { ($0.fromMilliseconds, $0.untilMilliseconds) = (5, 5) }, "until_ms"), (grant { $0.atMilliseconds = 5 }, "at_ms"),
    (grant { ($0.takeBack, $0.atMilliseconds) = (true, -1) }, "at_ms"),
    (grant { ($0.takeBack, $0.fromMilliseconds) = (true, 5) }, "take_back"),
    (grant { ($0.takeBack, $0.untilMilliseconds) = (true, 5) }, "take_back"),
    (grant { ($0.takeBack, $0.note) = (true, "") }, "note"),
  ]

  @Test("A bad field is INVALID_ARGUMENT and named", arguments: bad)
  func badFields(request: GrantAccessRequest, field: String) throws {
    let running = try RunningService()
    let status = try running.failure(.grantAccess, request)
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix("\(field): "), "\(status.message)")
    #expect(running.store.revision == 0)
  }

  @Test("What was never given can't be taken back")
  func neverGiven() throws {
    let status = try RunningService().failure(.grantAccess, Self.grant { $0.takeBack = true })
    #expect(status.code == .failedPrecondition)
    #expect(status.message == "entitlement: alice has no manual grant of pro that could be taken back")
  }
}
