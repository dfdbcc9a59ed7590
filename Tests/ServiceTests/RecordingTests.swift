import Entitlements
import LatchkeyWire
import Testing

@testable import Service

/// RecordTransaction: what it answers.
@Suite struct RecordingTests {
  private func record(_ running: RunningService, _ fill: (inout RecordTransactionRequest) -> Void) throws
    -> RecordTransactionResponse
  {
    try running.call(.recordTransaction, RecordTransactionRequest.with(fill), as: RecordTransactionResponse.self)
  }

  @Test("Every outcome of the domain has its number on the wire")
  func outcomes() {
    for outcome in Entitlements.Outcome.allCases { #expect(LatchkeyWire.Outcome(name: outcome.rawValue) != nil) }
  }

  @Test("A recording answers with outcome, customer, revision and what it changed at the moment asked for")
  func changes() throws {
    let running = try RunningService(catalog: .pro)
    let first = try running.record(.subscription("1"))
    #expect(first.outcome == .applied)
    #expect(first.customerID == "alice")
    #expect(first.revision == running.store.revision)
    #expect(first.changes.map(\.entitlement) == ["monthly", "pro"])
    #expect(first.changes.allSatisfy { $0.customerID == "alice" && $0.allowed && $0.reason == .purchased })
    let refund = try running.record(LatchkeyWire.Transaction.subscription("1").refunded)
    #expect(refund.changes.map(\.allowed) == [false, false])
    #expect(refund.changes.map(\.reason) == [.refunded, .refunded])
    #expect(refund.revision == first.revision + 1)
  }

  @Test("Changes are compared now where the request names no moment")
  func changesNow() throws {
    let running = try RunningService()
    // Over by the wall clock, since the sample is of 2023.
    let response = try record(running) { ($0.customerID, $0.transaction) = ("alice", .subscription("1")) }
    #expect(response.outcome == .applied)
    #expect(response.changes.isEmpty)
  }

  @Test("A refund of the purchaser changes the linked member in the same answer")
  func family() throws {
    let running = try RunningService(catalog: .pro)
    try running.record(.subscription("1"))
    try running.record(.shared("2"), for: "bob", sharedFrom: ["1"])
    let refund = try running.record(LatchkeyWire.Transaction.subscription("1").refunded)
    #expect(refund.changes.map(\.customerID) == ["alice", "alice", "bob", "bob"])
    #expect(refund.changes.map(\.reason) == [.refunded, .refunded, .sharedPurchaseRefunded, .sharedPurchaseRefunded])
  }

  @Test("Sent twice it is a duplicate without changes; an older version is stale; without a customer it is unclaimed")
  func otherOutcomes() throws {
    let running = try RunningService()
    try running.record(LatchkeyWire.Transaction.subscription("1").refunded)
    let again = try running.record(LatchkeyWire.Transaction.subscription("1").refunded)
    #expect(again.outcome == .duplicate)
    #expect(again.changes.isEmpty)
    #expect(again.customerID == "alice")
    #expect(try running.record(.subscription("1")).outcome == .stale)
    let unclaimed = try record(running) { $0.transaction = .subscription("2") }
    #expect(unclaimed.outcome == .unclaimed)
    #expect(unclaimed.customerID.isEmpty)
    let ignored = try record(running) { $0.notification = .with { $0.type = "TEST" } }
    #expect(ignored.outcome == .ignored)
    #expect(ignored.customerID.isEmpty)
  }

  @Test("Apple's JSON is recorded just as it came, and each odd thing about it is told once, as it is from fields")
  func warnings() throws {
    let running = try RunningService()
    let fromJSON = try record(running) {
      $0.customerID = "alice"
      $0.appleJSON = """
        {"notificationType": "LATER", "signedDate": 1700000000000, "data": {"signedTransactionInfo": {
          "transactionId": "1", "productId": "monthly", "type": "Auto-Renewable Subscription",
          "inAppOwnershipType": "ASSIGNED", "signedDate": 1700000000000}}}
        """
    }
    let ofTheTransaction = [
      #"transaction 1: the ownership "ASSIGNED" is unknown, so it grants nothing"#,
      "transaction 1: missing expiry: an auto-renewable subscription without expiresDate grants nothing",
      "transaction 1: missing purchase date, without which it grants nothing",
    ]
    let ofTheNotification = #"the notification type "LATER" is unknown; what it carries is recorded all the same"#
    #expect(fromJSON.outcome == .applied)
    #expect(fromJSON.warnings == [ofTheNotification] + ofTheTransaction)
    let fromFields = try record(running) {
      $0.transaction = .with {
        ($0.transactionID, $0.productID, $0.type) = ("1", "monthly", .autoRenewableSubscription)
        ($0.ownership, $0.rawOwnership, $0.signedDateMilliseconds) = (.other, "ASSIGNED", 1_700_000_000_000)
      }
    }
    #expect(fromFields.outcome == .duplicate)
    #expect(fromFields.warnings == ofTheTransaction)
  }

  @Test(
    "A response has 100 warnings and no more, and none twice",
    arguments: [(99, nil), (100, nil), (101, "… and 2 more warnings")] as [(Int, String?)])
  func limitsWarnings(count: Int, last: String?) throws {
    func row(_ id: Int) -> String { #"{"transaction_id": "\#(id)", "product_id": "p", "expires_date_ms": "1"}"# }
    let rows = (1...count).map(row).joined(separator: ",")
    let response = try record(RunningService()) {
      $0.appleJSON = """
        {"notification_type": "DID_RENEW", "unified_receipt": {"latest_receipt_info": [\(rows), \(row(1))]}}
        """
    }
    #expect(response.warnings.count == min(count, 100))
    #expect(response.warnings.last == last ?? "transaction \(count): missing purchase date, without which it grants nothing")
  }

  @Test("A renewal info beside a bare transaction is taken from JSON and from fields alike")
  func renewalInfo() throws {
    let grace = RunningService.now + 25 * day
    let running = try RunningService()
    let fields = try record(running) {
      ($0.customerID, $0.transaction) = ("alice", .subscription("1"))
      $0.renewalInfo = .with {
        ($0.signedDateMilliseconds, $0.gracePeriodExpiresDateMilliseconds) = (RunningService.now, grace)
      }
    }
    #expect(fields.outcome == .applied)
    _ = try record(running) {
      $0.customerID = "bob"
      $0.appleJSON = """
        {"transactionId": "2", "productId": "monthly", "type": "Auto-Renewable Subscription",
         "purchaseDate": \(RunningService.now - 10 * day), "expiresDate": \(RunningService.now + 20 * day),
         "signedDate": \(RunningService.now - 10 * day)}
        """
      $0.renewalInfoJSON = "{\"gracePeriodExpiresDate\": \(grace), \"signedDate\": \(RunningService.now)}"
    }
    for customer in ["alice", "bob"] {
      let answer = try running.check(customer, "monthly", at: RunningService.now + 22 * day)
      #expect(answer.reason == .gracePeriod)
      #expect(answer.validUntilMilliseconds == grace)
    }
  }

  @Test("A notification stands in for what its transaction leaves out, and a REVOKE without a date revokes")
  func notification() throws {
    var settings = Settings()
    settings.environment = .sandbox
    let running = try RunningService(settings: settings)
    try running.record(.shared("1"))
    _ = try record(running) {
      $0.transaction = .shared("1")
      $0.notification = .with {
        ($0.type, $0.environment, $0.signedDateMilliseconds) = ("REVOKE", .sandbox, RunningService.now - day)
      }
    }
    #expect(try running.check("alice", "monthly").reason == .familyAccessEnded)
    #expect(try running.check("alice", "monthly", at: RunningService.now - 2 * day).reason == .familyShared)
  }

  @Test("A notification's identity is recorded from JSON and from fields alike")
  func notificationIdentity() throws {
    let fields = RecordTransactionRequest.with {
      $0.transaction = .subscription("1")
      $0.notification = .with {
        ($0.type, $0.subtype, $0.uuid) = ("DID_RENEW", "BILLING_RECOVERY", "3f0c1e7a")
        ($0.signedDateMilliseconds, $0.environment, $0.bundleID) = (RunningService.now, .sandbox, "com.example.app")
      }
    }
    let json = RecordTransactionRequest.with {
      $0.appleJSON = """
        {"notificationType": "DID_RENEW", "subtype": "BILLING_RECOVERY", "notificationUUID": "3f0c1e7a",
         "signedDate": \(RunningService.now)}
        """
    }
    let signed = Moment(milliseconds: RunningService.now)
    let expected = Recording.Notification(type: "DID_RENEW", subtype: "BILLING_RECOVERY", uuid: "3f0c1e7a", signedDate: signed)
    #expect(try ReceivedRecording(fields, now: signed).recording.notification == expected)
    #expect(try ReceivedRecording(json, now: signed).recording.notification == expected)
    let bare = RecordTransactionRequest.with { $0.transaction = .subscription("1") }
    #expect(try ReceivedRecording(bare, now: signed).recording.notification == nil)
  }

  @Test("What another app or environment signed is FAILED_PRECONDITION, names both, and changes nothing")
  func otherApp() throws {
    var settings = Settings()
    settings.bundleID = "com.example.app"
    let running = try RunningService(settings: settings)
    func refusal(_ fill: (inout RecordTransactionRequest) -> Void) throws -> Status {
      try running.failure(.recordTransaction, RecordTransactionRequest.with(fill))
    }
    let revision = running.store.revision
    let environment = try refusal {
      ($0.customerID, $0.transaction) = ("alice", .subscription("1"))
      $0.transaction?.environment = .sandbox
    }
    #expect(environment.code == .failedPrecondition)
    #expect(environment.message.contains("Production") && environment.message.contains("Sandbox"))
    let app = try refusal {
      ($0.customerID, $0.transaction) = ("alice", .subscription("1"))
      $0.notification = .with { $0.bundleID = "com.example.other" }
    }
    #expect(app.code == .failedPrecondition)
    #expect(app.message.contains("com.example.app") && app.message.contains("com.example.other"))
    let renewal = try refusal {
      $0.renewalInfo = .with { ($0.originalTransactionID, $0.environment) = ("1", .xcode) }
    }
    #expect(renewal.code == .failedPrecondition)
    #expect(renewal.message.contains("Production") && renewal.message.contains("Xcode"))
    #expect(running.store.revision == revision)
    #expect(try running.check("alice", "monthly").reason == .unknownCustomer)
  }

  @Test("A closed store says UNAVAILABLE, and checks go on")
  func closed() throws {
    let running = try RunningService()
    try running.record(.subscription("1"))
    try running.store.close()
    let request = RecordTransactionRequest.with { ($0.customerID, $0.transaction) = ("bob", .subscription("2")) }
    #expect(try running.failure(.recordTransaction, request).code == .unavailable)
    #expect(try running.check("alice", "monthly").allowed)
  }
}
