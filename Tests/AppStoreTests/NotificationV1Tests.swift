import AppStore
import Entitlements
import JSON
import Testing

@Suite("A version 1 notification")
struct NotificationV1Tests {
  private let row: JSONValue = [
    "transaction_id": "20", "original_transaction_id": "10", "product_id": "pro.monthly", "purchase_date_ms": "1772326800000",
    "in_app_ownership_type": "FAMILY_SHARED", "quantity": "1", "expires_date_ms": "1775001600000",
  ]

  private func notification(
    rows: JSONValue?, renewalInfos: JSONValue? = nil, environment: JSONValue? = "PROD", type: String = "DID_RENEW"
  ) -> JSONValue {
    let receipt: JSONValue = ["environment": "Production", "status": 0, "latest_receipt": "MIIT"]
    let body: JSONValue = [
      "notification_type": .string(type), "bid": "com.example.app", "auto_renew_status": "true",
      "unified_receipt": receipt.setting("latest_receipt_info", to: rows).setting("pending_renewal_info", to: renewalInfos),
    ]
    return body.setting("environment", to: environment)
  }

  @Test("gives each row, without a type, dated by the greater of its purchase and cancellation dates")
  func givesEachRow() throws {
    let cancelled: JSONValue = [
      "transaction_id": "21", "original_transaction_id": "21", "product_id": "lifetime", "purchase_date_ms": "1772326800000",
      "cancellation_date_ms": "1773014400000", "cancellation_reason": "1", "is_upgraded": "true", "app_account_token": "token",
      "app_transaction_id": "71999",
    ]
    let document = try read(notification(rows: .array([row, cancelled, row])))
    let shared = Recording.Row(
      transaction: Transaction(
        transactionID: "20", originalTransactionID: "10", productID: "pro.monthly", ownership: .familyShared,
        environment: .production, purchaseDate: Moment(milliseconds: 1_772_326_800_000),
        expiresDate: Moment(milliseconds: 1_775_001_600_000), signedDate: Moment(milliseconds: 1_772_326_800_000)),
      bundleID: "com.example.app", otherFields: #"{"quantity":"1"}"#)
    let refunded = Recording.Row(
      transaction: Transaction(
        transactionID: "21", productID: "lifetime", environment: .production,
        purchaseDate: Moment(milliseconds: 1_772_326_800_000), signedDate: Moment(milliseconds: 1_773_014_400_000),
        isUpgraded: true, revocationDate: Moment(milliseconds: 1_773_014_400_000), revocationReason: .developerIssue,
        appTransactionID: "71999", appAccountToken: "token"),
      bundleID: "com.example.app")
    #expect(
      document.recording
        == Recording(notification: .init(type: "DID_RENEW"), rows: [shared, refunded, shared], receivedAt: receipt))
    #expect(document.kind == .notificationV1(type: "DID_RENEW"))
    #expect(document.signedDate == nil)
    #expect(document.warnings == [])
  }

  @Test("REVOKE marks nothing: only a cancellation date revokes")
  func revokeMarksNothing() throws {
    let recording = try read(notification(rows: .array([row]), type: "REVOKE")).recording
    #expect(recording.rows.map(\.revokeMark) == [nil])
    #expect(recording.rows.map(\.transaction.revocationDate) == [nil])
  }

  @Test(
    "takes its environment from the body, else from the receipt",
    arguments: [
      ("PROD", .production), ("Production", .production), ("Sandbox", .sandbox), (nil, .production), ("Moon", .other("Moon")),
    ] as [(JSONValue?, Environment)])
  func takesEnvironment(text: JSONValue?, environment: Environment) throws {
    let info: JSONValue = ["original_transaction_id": "10"]
    let recording = try read(notification(rows: .array([row]), renewalInfos: .array([info]), environment: text)).recording
    #expect(recording.rows.map(\.transaction.environment) == [environment])
    #expect(recording.renewalInfos.map(\.info.environment) == [environment])
    #expect(recording.renewalInfos.map(\.bundleID) == ["com.example.app"])
  }

  @Test("tolerates numbers and booleans where it should have strings")
  func toleratesNumbers() throws {
    let loose = row.setting("transaction_id", to: 20).setting("purchase_date_ms", to: 1_772_326_800_000)
      .setting("is_upgraded", to: true).setting("cancellation_reason", to: 0)
    let info: JSONValue = [
      "original_transaction_id": 10, "auto_renew_status": true, "is_in_billing_retry_period": 1, "expiration_intent": 2,
    ]
    let recording = try read(notification(rows: .array([loose]), renewalInfos: .array([info]))).recording
    #expect(recording.rows[0].transaction.transactionID == "20")
    #expect(recording.rows[0].transaction.purchaseDate == Moment(milliseconds: 1_772_326_800_000))
    #expect(recording.rows[0].transaction.isUpgraded)
    #expect(recording.rows[0].transaction.revocationReason == .other)
    #expect(recording.renewalInfos[0].info.originalTransactionID == "10")
    #expect(recording.renewalInfos[0].info.autoRenewStatus == 1)
    #expect(recording.renewalInfos[0].info.isInBillingRetryPeriod)
    #expect(recording.renewalInfos[0].info.expirationIntent == 2)
  }

  @Test(
    "dates a renewal info by the greatest date in its lineage's rows that isn't after its receipt",
    arguments: [
      // Received before the purchase, at it, between purchase and cancellation, at the cancellation, after the expiry.
      (1_772_326_799_999, 0), (1_772_326_800_000, 1_772_326_800_000), (1_773_000_000_000, 1_772_326_800_000),
      (1_773_014_400_000, 1_773_014_400_000), (1_775_001_599_999, 1_773_014_400_000), (1_775_001_600_000, 1_775_001_600_000),
      (1_790_000_000_000, 1_775_001_600_000),
    ] as [(Int64, Int64)])
  func datesRenewalInfos(receivedAt: Int64, signedDate: Int64) throws {
    let cancelled = row.setting("cancellation_date_ms", to: "1773014400000")
    let other = row.setting("original_transaction_id", to: "11").setting("purchase_date_ms", to: "1780000000000")
    let info: JSONValue = [
      "original_transaction_id": "10", "product_id": "pro.monthly", "auto_renew_product_id": "pro.yearly",
      "auto_renew_status": "0",
      "is_in_billing_retry_period": "1", "expiration_intent": "2", "grace_period_expires_date_ms": "1771286400000",
    ]
    let body = notification(
      rows: .array([other, cancelled]), renewalInfos: .array([info, ["original_transaction_id": "99"]]))
    let document = try AppleDocument(parsing: body.compact, receivedAt: Moment(milliseconds: receivedAt))
    let expected = RenewalInfo(
      originalTransactionID: "10", environment: .production, signedDate: Moment(milliseconds: signedDate),
      gracePeriodExpiresDate: Moment(milliseconds: 1_771_286_400_000), isInBillingRetryPeriod: true,
      autoRenewProductID: "pro.yearly", autoRenewStatus: 0, expirationIntent: 2)
    let unknown = RenewalInfo(originalTransactionID: "99", environment: .production)
    #expect(document.recording.renewalInfos.map(\.info) == [expected, unknown])
    #expect(document.recording.renewalInfos.map(\.otherFields) == [#"{"product_id":"pro.monthly"}"#, nil])
  }

  @Test("without rows or without a receipt records what is there")
  func withoutRows() throws {
    let infos: JSONValue = [["original_transaction_id": "10"]]
    let onlyInfo = try read(notification(rows: nil, renewalInfos: infos)).recording
    #expect(onlyInfo.rows == [])
    #expect(onlyInfo.renewalInfos.map(\.info.signedDate.milliseconds) == [0])
    let nothing = try read(["notification_type": "REFUND", "environment": "PROD"])
    #expect(nothing.recording == Recording(notification: .init(type: "REFUND"), receivedAt: receipt))
    #expect(nothing.warnings == ["the notification has no unified_receipt, so there is nothing to record"])
  }

  @Test("drops more than 4 KiB of a renewal info's other fields with a warning")
  func limitsOtherFields() throws {
    let info: JSONValue = ["original_transaction_id": "10", "new": .string(String(repeating: "x", count: 4_087))]
    let document = try read(notification(rows: nil, renewalInfos: .array([info])))
    #expect(document.recording.renewalInfos.map(\.otherFields) == [nil])
    #expect(document.warnings == ["renewal info of 10: its other fields have 4097 bytes, more than 4096, and are dropped"])
  }

  @Test("may have 1,000 rows and no more", arguments: [(999, true), (1_000, true), (1_001, false)])
  func limitsRows(count: Int, isAccepted: Bool) throws {
    let least: JSONValue = ["transaction_id": "1", "product_id": "p", "purchase_date_ms": "0"]
    let body = notification(rows: .array(Array(repeating: least, count: count)))
    if isAccepted {
      #expect(try read(body).recording.rows.count == count)
    } else {
      let error = #expect(throws: JSONError.self) { try read(body) }
      #expect(error?.path == "unified_receipt.latest_receipt_info")
      #expect(error?.message == "expected at most 1000 rows, found 1001")
    }
  }

  @Test(
    "is refused by the path of the field that is wrong",
    arguments: [
      ("transaction_id", nil, "missing"), ("product_id", nil, "missing"),
      ("transaction_id", "", "expected 1 to 128 bytes, found 0"),
      ("purchase_date_ms", "soon", #"expected milliseconds in digits, found "soon""#),
      ("expires_date_ms", "-1", "expected milliseconds of the years 1970 to 9999, found -1"),
      ("cancellation_date_ms", [], "expected milliseconds in digits, found an array"),
      ("is_upgraded", "yes", #"expected "true" or "false", found a string"#),
      ("in_app_ownership_type", 5, "expected a string, found an integer"),
      ("app_account_token", 5, "expected a string, found an integer"),
    ] as [(String, JSONValue?, String)])
  func wrongFields(key: String, value: JSONValue?, message: String) {
    let error = #expect(throws: JSONError.self) { try read(notification(rows: .array([row, row.setting(key, to: value)]))) }
    #expect(error?.path == "unified_receipt.latest_receipt_info[1].\(key)")
    #expect(error?.message == message)
  }
}
