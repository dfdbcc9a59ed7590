import LatchkeyWire
import Service
import Testing

/// Recordings that can never be right: each is INVALID_ARGUMENT, names its field, and changes nothing.
@Suite struct BadRecordingTests {
  /// What is done to a good request, and the field that is to be named.
  typealias Case = (field: String, spoil: @Sendable (inout RecordTransactionRequest) -> Void)

  static let ids: [Case] = [
    ("customer_id", { $0.customerID = text(129) }),
    ("transaction.transaction_id", { $0.transaction?.transactionID = "" }),
    ("transaction.transaction_id", { $0.transaction?.transactionID = text(129) }),
    ("transaction.product_id", { $0.transaction?.productID = "" }),
    ("transaction.product_id", { $0.transaction?.productID = text(129) }),
    ("transaction.original_transaction_id", { $0.transaction?.originalTransactionID = text(129) }),
    ("transaction.app_transaction_id", { $0.transaction?.appTransactionID = text(129) }),
    ("transaction.app_account_token", { $0.transaction?.appAccountToken = text(129) }),
    ("renewal_info.original_transaction_id", { $0.renewalInfo = .with { $0.originalTransactionID = text(129) } }),
    (
      "renewal_info.original_transaction_id",
      {
        $0.transaction = nil
        $0.renewalInfo = .with { $0.signedDateMilliseconds = 1 }
      }
    ),
    ("renewal_info.auto_renew_product_id", { $0.renewalInfo = .with { $0.autoRenewProductID = text(129) } }),
    (
      "shared_from",
      {
        $0.transaction?.ownership = .familyShared
        $0.sharedFrom = [""]
      }
    ),
    (
      "shared_from",
      {
        $0.transaction?.ownership = .familyShared
        $0.sharedFrom = [text(129)]
      }
    ),
    (
      "shared_from",
      {
        $0.transaction?.ownership = .familyShared
        $0.sharedFrom = (0..<17).map { "link \($0)" }
      }
    ),
    ("shared_from", { $0.sharedFrom = ["1"] }),
  ]

  static let times: [Case] = [Int64.min, -1, 253_402_300_800_000, .max].flatMap { time -> [Case] in
    [
      ("received_at_ms", { $0.receivedAtMilliseconds = time }),
      ("evaluate_changes_at_ms", { $0.evaluateChangesAtMilliseconds = time }),
      ("transaction.purchase_date_ms", { $0.transaction?.purchaseDateMilliseconds = time }),
      ("transaction.expires_date_ms", { $0.transaction?.expiresDateMilliseconds = time }),
      ("transaction.revocation_date_ms", { $0.transaction?.revocationDateMilliseconds = time }),
      ("transaction.signed_date_ms", { $0.transaction?.signedDateMilliseconds = time }),
      ("notification.signed_date_ms", { $0.notification = .with { $0.signedDateMilliseconds = time } }),
      ("renewal_info.signed_date_ms", { $0.renewalInfo = .with { $0.signedDateMilliseconds = time } }),
      (
        "renewal_info.grace_period_expires_date_ms",
        { $0.renewalInfo = .with { $0.gracePeriodExpiresDateMilliseconds = time } }
      ),
    ]
  }

  static let values: [Case] = [
    ("transaction.price_milliunits", { $0.transaction?.priceMilliunits = -1 }),
    ("transaction.revocation_percentage", { $0.transaction?.revocationPercentage = -1 }),
    ("transaction.revocation_percentage", { $0.transaction?.revocationPercentage = 100_001 }),
    ("transaction.currency", { $0.transaction?.currency = text(257) }),
    ("transaction.bundle_id", { $0.transaction?.bundleID = text(257) }),
    ("source", { $0.source = Source(rawValue: 99) }),
    ("source", { $0.source = Source(rawValue: -1) }),
    ("transaction.raw_type", { $0.transaction?.rawType = "Raffle" }),
    (
      "transaction.raw_type",
      {
        $0.transaction?.type = .other
        $0.transaction?.rawType = text(257)
      }
    ),
    ("transaction.raw_ownership", { $0.transaction?.rawOwnership = "RENTED" }),
    (
      "transaction.raw_environment",
      {
        $0.transaction?.environment = .sandbox
        $0.transaction?.rawEnvironment = "Moon"
      }
    ),
    ("transaction.raw_revocation_reason", { $0.transaction?.rawRevocationReason = "whim" }),
    ("transaction.raw_revocation_type", { $0.transaction?.rawRevocationType = "WHIM" }),
    ("renewal_info.raw_environment", { $0.renewalInfo = .with { $0.rawEnvironment = "Moon" } }),
    ("renewal_info.raw_environment", { $0.renewalInfo = .with { ($0.environment, $0.rawEnvironment) = (.other, text(257)) } }),
    ("renewal_info.bundle_id", { $0.renewalInfo = .with { $0.bundleID = text(257) } }),
    ("notification.raw_environment", { $0.notification = .with { $0.rawEnvironment = "Moon" } }),
    ("notification.bundle_id", { $0.notification = .with { $0.bundleID = text(257) } }),
    ("notification.type", { $0.notification = .with { $0.type = text(257) } }),
    ("notification.subtype", { $0.notification = .with { $0.subtype = text(257) } }),
    ("notification.uuid", { $0.notification = .with { $0.uuid = text(257) } }),
  ]

  static let documents: [Case] = [
    ("transaction", { $0.transaction = nil }),
    ("apple_json", { $0.appleJSON = "{}" }),
    ("renewal_info_json", { $0.renewalInfoJSON = "{}" }),
    (
      "apple_json",
      {
        $0.transaction = nil
        $0.appleJSON = "{\"transactionId\": 1}"
      }
    ),
    (
      "apple_json",
      {
        $0.transaction = nil
        $0.appleJSON = "{\"transactionId\": \"1\", \"productId\": \"\"}"
      }
    ),
    (
      "apple_json",
      {
        $0.transaction = nil
        $0.appleJSON = "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"
      }
    ),
    (
      "apple_json",
      {
        $0.transaction = nil
        $0.appleJSON = "{\"notificationType\": \"TEST\"}"
        $0.renewalInfoJSON = "{}"
      }
    ),
    (
      "shared_from",
      {
        $0.transaction = nil
        $0.appleJSON = "{\"transactionId\": \"1\", \"productId\": \"monthly\"}"
        $0.sharedFrom = ["2"]
      }
    ),
  ]

  @Test("A bad field is INVALID_ARGUMENT, named, and changes nothing", arguments: [ids, times, values, documents])
  func badFields(cases: [Case]) throws {
    let running = try RunningService()
    let revision = running.store.revision
    for (field, spoil) in cases {
      var request = RecordTransactionRequest.with { ($0.customerID, $0.transaction) = ("alice", .subscription("1")) }
      spoil(&request)
      let status = try running.failure(.recordTransaction, request)
      #expect(status.code == .invalidArgument, "\(field): \(status.message)")
      #expect(status.message.hasPrefix("\(field): "), "\(status.message)")
    }
    #expect(running.store.revision == revision)
    #expect(try running.check("alice", "monthly").reason == .unknownCustomer)
  }

  @Test("Fields at their limits are recorded")
  func limits() throws {
    let running = try RunningService()
    let request = RecordTransactionRequest.with {
      $0.customerID = text(128)
      $0.transaction = .with {
        $0.transactionID = text(128)
        $0.originalTransactionID = text(128)
        $0.productID = text(128)
        $0.type = .other
        $0.rawType = text(256)
        $0.ownership = .familyShared
        $0.signedDateMilliseconds = 253_402_300_799_999
        $0.priceMilliunits = 0
        $0.revocationPercentage = 100_000
      }
      $0.sharedFrom = (0..<16).map { "link \($0)" }
    }
    let response = try running.call(.recordTransaction, request, as: RecordTransactionResponse.self)
    #expect(response.outcome == .applied)
    #expect(response.customerID == text(128))
  }

  @Test("A number that this version doesn't know is recorded, and never grants")
  func unknownNumbers() throws {
    let running = try RunningService()
    var transaction = LatchkeyWire.Transaction.subscription("1")
    transaction.type = ProductType(rawValue: 77)
    transaction.rawType = "Raffle"
    #expect(try running.record(transaction).outcome == .applied)
    #expect(try running.check("alice", "monthly").reason == .neverOwned)
    let history = try running.call(
      .getHistory, GetHistoryRequest.with { $0.customerID = "alice" }, as: GetHistoryResponse.self)
    #expect(history.entries.first?.transaction?.type == .other)
    #expect(history.entries.first?.transaction?.rawType == "Raffle")
  }
}
