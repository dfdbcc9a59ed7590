import Entitlements
import LatchkeyWire
import Service
import Testing

/// ListEntitlements and ExplainAccess.
@Suite struct ListingTests {
  private func list(_ running: RunningService, _ customer: String, at moment: Int64 = RunningService.now) throws
    -> ListEntitlementsResponse
  {
    try running.call(
      .listEntitlements, ListEntitlementsRequest.with { ($0.customerID, $0.atTimeMilliseconds) = (customer, moment) },
      as: ListEntitlementsResponse.self)
  }

  private func explain(_ running: RunningService, _ customer: String, _ entitlement: String = "") throws
    -> ExplainAccessResponse
  {
    try running.call(
      .explainAccess,
      ExplainAccessRequest.with {
        ($0.customerID, $0.entitlement, $0.atTimeMilliseconds) = (customer, entitlement, RunningService.now)
      }, as: ExplainAccessResponse.self)
  }

  @Test("List, explanation and checks give the same answers, by name")
  func agreement() throws {
    let running = try RunningService(catalog: .pro)
    try running.record(.subscription("1"), .lasting("2", product: "forever"))
    try running.record(LatchkeyWire.Transaction.subscription("3", product: "old").refunded)
    let listed = try list(running, "alice")
    #expect(listed.customerKnown)
    #expect(listed.revision == running.store.revision)
    #expect(listed.entitlements.map(\.entitlement) == ["forever", "monthly", "old", "pro"])
    #expect(try explain(running, "alice").answers == listed.entitlements)
    for answer in listed.entitlements {
      let check = try running.check("alice", answer.entitlement)
      #expect(check.allowed == answer.allowed)
      #expect(check.reason == answer.reason)
      #expect(check.validUntilMilliseconds == answer.validUntilMilliseconds)
      #expect(check.ownership == answer.ownership)
    }
  }

  @Test("Who holds nothing is told apart from who may use nothing")
  func unknownCustomer() throws {
    let running = try RunningService()
    var consumable = LatchkeyWire.Transaction.subscription("1", product: "coins")
    consumable.type = .other
    try running.record(consumable)
    #expect(try list(running, "alice").customerKnown)
    #expect(try list(running, "alice").entitlements.isEmpty)
    #expect(try !list(running, "bob").customerKnown)
    #expect(try explain(running, "alice").customerKnown)
    let nobody = try explain(running, "bob", "pro")
    #expect(!nobody.customerKnown)
    #expect(nobody.answers.map(\.reason) == [.unknownCustomer])
    #expect(nobody.transactions.isEmpty)
  }

  @Test("An explanation says of each transaction what stops it, since when, and what stands behind it")
  func explanation() throws {
    let running = try RunningService(catalog: .pro)
    try running.record(.subscription("1"))
    try running.record(.shared("2"), for: "bob", sharedFrom: ["1"])
    try running.record(LatchkeyWire.Transaction.subscription("1").refunded)
    let response = try explain(running, "bob", "pro")
    #expect(response.answers.map(\.reason) == [.sharedPurchaseRefunded])
    #expect(response.revision == running.store.revision)
    let transaction = try #require(response.transactions.first)
    #expect(transaction.transaction?.transactionID == "2")
    #expect(transaction.entitlements == ["pro", "monthly"])
    #expect(!transaction.grants)
    #expect(transaction.reason == .sharedPurchaseRefunded)
    #expect(transaction.sinceMilliseconds == RunningService.now - day)
    #expect(transaction.linkedPurchases == ["1"])
    #expect(transaction.sentence.contains("1"))
    #expect(try explain(running, "bob", "gold").transactions.isEmpty)
    #expect(try explain(running, "bob", "gold").answers.map(\.reason) == [.neverOwned])
  }

  @Test("An explanation that is larger than a frame says so, and what to ask instead")
  func largeExplanation() throws {
    let names = (0..<100).map { Identifier("an entitlement with a long name, so that the answer is long: \($0)") }
    let product = Catalog.Product(type: .nonConsumable, entitlements: names)
    let running = try RunningService(catalog: Catalog(products: ["p": product]))
    // A version 1 notification records a thousand transactions at once.
    let rows = (0..<1_000).map {
      "{\"transaction_id\": \"\($0)\", \"product_id\": \"p\", \"purchase_date_ms\": \"1690000000000\"}"
    }
    let notification = RecordTransactionRequest.with {
      $0.customerID = "alice"
      $0.appleJSON = """
        {"notification_type": "INITIAL_BUY", "unified_receipt": {"latest_receipt_info": [\(rows.joined(separator: ","))]}}
        """
    }
    #expect(try running.call(.recordTransaction, notification, as: RecordTransactionResponse.self).outcome == .applied)
    let status = try running.failure(.explainAccess, ExplainAccessRequest.with { $0.customerID = "alice" })
    #expect(status.code == .resourceExhausted)
    #expect(status.message.contains("4 MiB") && status.message.contains("GetHistory"))
    #expect(try list(running, "alice").entitlements.count == 101)
  }

  /// Ids and moments that can never be right, with the field that is to be named.
  static let bad: [(customer: String, moment: Int64, field: String)] = [
    ("", 0, "customer_id"), (text(129), 0, "customer_id"), ("alice", -1, "at_time_ms"), ("alice", .max, "at_time_ms"),
  ]

  @Test("A bad field is INVALID_ARGUMENT and named", arguments: bad)
  func badFields(customer: String, moment: Int64, field: String) throws {
    let running = try RunningService()
    let list = ListEntitlementsRequest.with { ($0.customerID, $0.atTimeMilliseconds) = (customer, moment) }
    let explain = ExplainAccessRequest.with { ($0.customerID, $0.atTimeMilliseconds) = (customer, moment) }
    for status in [try running.failure(.listEntitlements, list), try running.failure(.explainAccess, explain)] {
      #expect(status.code == .invalidArgument)
      #expect(status.message.hasPrefix("\(field): "))
    }
  }

  @Test("The name of an entitlement is at most 128 bytes long in an explanation too")
  func longEntitlement() throws {
    let request = ExplainAccessRequest.with { ($0.customerID, $0.entitlement) = ("alice", text(129)) }
    let status = try RunningService().failure(.explainAccess, request)
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix("entitlement: "))
  }
}
