import AppStore
import Entitlements
import JSON
import Testing

@Suite("A version 2 notification")
struct NotificationTests {
  private static let named: [(String, String?)] = [
    ("SUBSCRIBED", "INITIAL_BUY"), ("SUBSCRIBED", "RESUBSCRIBE"), ("DID_RENEW", nil), ("DID_RENEW", "BILLING_RECOVERY"),
    ("OFFER_REDEEMED", nil), ("OFFER_REDEEMED", "UPGRADE"), ("OFFER_REDEEMED", "DOWNGRADE"),
    ("DID_CHANGE_RENEWAL_PREF", "UPGRADE"), ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE"), ("DID_CHANGE_RENEWAL_PREF", nil),
    ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"), ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"),
    ("DID_CHANGE_RENEWAL_STATUS", nil), ("DID_FAIL_TO_RENEW", "GRACE_PERIOD"), ("DID_FAIL_TO_RENEW", nil),
    ("GRACE_PERIOD_EXPIRED", nil), ("EXPIRED", "VOLUNTARY"), ("EXPIRED", "BILLING_RETRY"), ("EXPIRED", "PRICE_INCREASE"),
    ("EXPIRED", "PRODUCT_NOT_FOR_SALE"), ("EXPIRED", nil), ("PRICE_INCREASE", "PENDING"), ("PRICE_INCREASE", "ACCEPTED"),
    ("REFUND", nil), ("REFUND", "SEATS"), ("REFUND_REVERSED", nil), ("REFUND_DECLINED", nil), ("CONSUMPTION_REQUEST", nil),
    ("REVOKE", nil), ("RENEWAL_EXTENDED", nil), ("RENEWAL_EXTENSION", "SUMMARY"), ("RENEWAL_EXTENSION", "FAILURE"),
    ("ONE_TIME_CHARGE", nil), ("EXTERNAL_PURCHASE_TOKEN", "CREATED"), ("EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER"),
    ("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED"), ("RESCIND_CONSENT", nil), ("METADATA_UPDATE", nil), ("MIGRATION", nil),
    ("MIGRATE", nil), ("PRICE_CHANGE", nil), ("UNCLAIM_SEATS", nil), ("TEST", nil),
  ]

  @Test("of each type and subtype that Apple names is known and gives its transaction", arguments: named)
  func eachTypeIsKnown(type: String, subtype: String?) throws {
    #expect(NotificationType(rawValue: type) != nil)
    if let subtype { #expect(NotificationSubtype(rawValue: subtype) != nil) }
    let revoked = renewalTransaction.setting("revocationDate", to: 1_698_148_950_000)
    let document = try read(notification(type, subtype: subtype, transaction: revoked))
    #expect(document.kind == .notification(type: type, subtype: subtype))
    #expect(document.warnings == [])
    #expect(document.signedDate == Moment(milliseconds: 1_698_150_000_500))
    #expect(document.recording.source == .serverNotification)
    #expect(document.recording.receivedAt == receipt)
    #expect(
      document.recording.notification
        == Recording.Notification(
          type: type, subtype: subtype, uuid: "3f0c1e7a-0000-4000-8000-000000000001",
          signedDate: Moment(milliseconds: 1_698_150_000_500)))
    #expect(document.recording.rows.map(\.transaction.transactionID) == ["23456"])
    #expect(document.recording.rows.map(\.transaction.revocationDate) == [Moment(milliseconds: 1_698_148_950_000)])
    #expect(document.recording.rows.map(\.revokeMark) == [nil])
    #expect(document.recording.renewalInfos == [])
  }

  @Test("has no names in the tables but those")
  func tablesHoldNoMore() {
    #expect(Set(NotificationType.allCases.map(\.rawValue)) == Set(NotificationTests.named.map(\.0)))
    #expect(Set(NotificationSubtype.allCases.map(\.rawValue)) == Set(NotificationTests.named.compactMap(\.1)))
  }

  @Test("of an unknown type and subtype is kept as written, with a warning")
  func unknownTypeIsKept() throws {
    let document = try read(notification("BRAND_NEW_TYPE", subtype: "WHO_KNOWS"))
    #expect(document.kind == .notification(type: "BRAND_NEW_TYPE", subtype: "WHO_KNOWS"))
    #expect(document.recording.notification?.type == "BRAND_NEW_TYPE")
    #expect(document.recording.notification?.subtype == "WHO_KNOWS")
    #expect(document.recording.rows.count == 1)
    #expect(
      document.warnings == [#"the notification type "BRAND_NEW_TYPE" is unknown; what it carries is recorded all the same"#])
  }

  @Test(
    "that carries neither a transaction nor a renewal info has nothing to record",
    arguments: [
      notification("TEST", transaction: nil),
      [
        "notificationType": "RENEWAL_EXTENSION", "subtype": "SUMMARY",
        "summary": ["environment": "Production", "succeededCount": 5],
      ],
      [
        "notificationType": "EXTERNAL_PURCHASE_TOKEN", "subtype": "CREATED", "externalPurchaseToken": ["bundleId": "com.example"],
      ],
      ["notificationType": "RESCIND_CONSENT", "appData": ["appAppleId": 41234, "signedAppTransactionInfo": "eyJ.a.b"]],
      ["notificationType": "TEST", "data": .null],
    ] as [JSONValue])
  func nothingToRecord(document: JSONValue) throws {
    let recording = try read(document).recording
    #expect(recording.notification?.type != nil)
    #expect(recording.rows == [])
    #expect(recording.renewalInfos == [])
  }

  @Test("lends its environment and app to a transaction and a renewal info that name none")
  func lendsEnvironment() throws {
    let transaction = renewalTransaction.setting("environment", to: nil).setting("bundleId", to: nil)
    let info = graceRenewalInfo.setting("environment", to: nil)
    let data: JSONValue = ["environment": "Sandbox", "bundleId": "com.other"]
    let both = try read(notification("DID_RENEW", transaction: transaction, renewalInfo: info, data: data)).recording
    #expect(both.rows.map(\.transaction.environment) == [.sandbox])
    #expect(both.rows.map(\.bundleID) == ["com.other"])
    #expect(both.renewalInfos.map(\.info.environment) == [.sandbox])
    #expect(both.renewalInfos.map(\.bundleID) == ["com.other"])
    let alone = try read(notification("DID_RENEW", transaction: nil, renewalInfo: info, data: data)).recording
    #expect(alone.rows == [])
    #expect(alone.renewalInfos == both.renewalInfos)
    let own = try read(notification("DID_RENEW", renewalInfo: graceRenewalInfo, data: data)).recording
    #expect(own.rows.map(\.transaction.environment) == [.production])
    #expect(own.rows.map(\.bundleID) == ["com.example"])
    #expect(own.renewalInfos.map(\.info.environment) == [.production])
    let neither = try read(notification("DID_RENEW", transaction: transaction, data: [:])).recording
    #expect(neither.rows.map(\.transaction.environment) == [nil])
    #expect(neither.rows.map(\.bundleID) == [nil])
  }

  @Test("REVOKE without a revocation date is a mark: of its signed date, else the transaction's, else zero")
  func revokeMark() throws {
    func mark(_ document: JSONValue) throws -> [Int64?] { try read(document).recording.rows.map { $0.revokeMark?.milliseconds } }
    let revoke = notification("REVOKE")
    #expect(try mark(revoke) == [1_698_150_000_500])
    #expect(
      try read(revoke).warnings == ["transaction 23456: revoked without a revocation date, as of when that was signed"])
    #expect(try mark(revoke.setting("signedDate", to: nil)) == [1_698_148_900_000])
    let undated = notification("REVOKE", transaction: renewalTransaction.setting("signedDate", to: nil))
    #expect(try mark(undated.setting("signedDate", to: nil)) == [0])
    #expect(try mark(notification("REFUND")) == [nil])
    #expect(try mark(notification("REVOKE", transaction: nil, renewalInfo: graceRenewalInfo)) == [])
  }

  @Test(
    "or any document with a signed payload in it is refused for it",
    arguments: [
      (#"{"signedPayload":"eyJhbGciOi.e30.c2ln"}"#, "line 1, column 18: signedPayload: "),
      (#"{"signedTransactionInfo":"eyJhbGciOi.e30.c2ln"}"#, "line 1, column 26: signedTransactionInfo: "),
      (
        #"{"notificationType":"TEST","data":{"signedTransactionInfo":"eyJh.e30.c2ln"}}"#,
        "line 1, column 60: data.signedTransactionInfo: "
      ),
      (#"{"notificationType":"TEST","data":{"signedRenewalInfo":"x"}}"#, "line 1, column 56: data.signedRenewalInfo: "),
      ("eyJhbGciOiJFUzI1NiJ9.e30.c2ln", "line 1, column 1: "), (#""eyJh.e30.c2ln""#, "line 1, column 1: "),
    ])
  func signedIsRefused(text: String, beginning: String) {
    let error = #expect(throws: JSONError.self) { try AppleDocument(parsing: text, receivedAt: receipt) }
    #expect(
      error?.description == beginning
        + "expected the decoded object, found a string: this server takes decoded payloads and doesn't verify Apple's "
        + "signatures, so verify and decode the signed payload first")
  }

  @Test(
    "is refused where a part is of a wrong type",
    arguments: [
      (notification("TEST").setting("data", to: 5), "data: expected an object, found an integer"),
      (notification("TEST").setting("notificationType", to: 5), "notificationType: expected a string, found an integer"),
      (notification("TEST").setting("subtype", to: []), "subtype: expected a string, found an array"),
      (notification("TEST").setting("notificationUUID", to: 5), "notificationUUID: expected a string, found an integer"),
      (notification("TEST").setting("signedDate", to: "x"), "signedDate: expected an integer of milliseconds, found a string"),
      (notification("TEST", transaction: 5), "data.signedTransactionInfo: expected the decoded object, found an integer"),
      (notification("TEST", data: ["environment": 1]), "data.environment: expected a string, found an integer"),
      (notification("TEST", data: ["bundleId": 1]), "data.bundleId: expected a string, found an integer"),
      (
        notification("TEST", transaction: renewalTransaction.setting("purchaseDate", to: "x")),
        "data.signedTransactionInfo.purchaseDate: expected an integer of milliseconds, found a string"
      ),
      (notification("TEST", transaction: [:]), "data.signedTransactionInfo.transactionId: missing"),
      (notification("TEST", transaction: nil, renewalInfo: [:]), "data.signedRenewalInfo.originalTransactionId: missing"),
    ] as [(JSONValue, String)])
  func wrongTypes(document: JSONValue, message: String) {
    let error = #expect(throws: JSONError.self) { try read(document) }
    #expect(error.map { "\($0.path): \($0.message)" } == message)
  }
}
