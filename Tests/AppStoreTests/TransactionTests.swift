import AppStore
import Entitlements
import JSON
import Testing

@Suite("A bare transaction")
struct TransactionTests {
  private func row(_ document: JSONValue) throws -> Recording.Row { try #require(try read(document).recording.rows.first) }

  @Test("gives each field that a rule uses, and keeps the others as they are")
  func givesEachField() throws {
    // Apple's own sample of a revoked transaction, with its verbatim values.
    let text = """
      {"originalTransactionId":"12345","transactionId":"23456","webOrderLineItemId":"34343","bundleId":"com.example",
      "productId":"com.example.product","subscriptionGroupIdentifier":"55555","purchaseDate":1698148900000,
      "originalPurchaseDate":1698148800000,"expiresDate":1698149000000,"quantity":1,"type":"Auto-Renewable Subscription",
      "appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138","inAppOwnershipType":"PURCHASED","signedDate":1698148900000,
      "revocationReason":1,"revocationDate":1698148950000,"isUpgraded":true,"offerType":1,"offerIdentifier":"abc.123",
      "environment":"LocalTesting","storefront":"USA","storefrontId":"143441","transactionReason":"PURCHASE","price":10990,
      "currency":"USD","offerDiscountType":"PAY_AS_YOU_GO","appTransactionId":"71134","offerPeriod":"P1Y",
      "revocationType":"REFUND_PRORATED","revocationPercentage":50000}
      """
    let document = try AppleDocument(
      parsing: text, customer: "ana", sharedFrom: ["9"], source: .import, receivedAt: receipt)
    let transaction = Transaction(
      transactionID: "23456", originalTransactionID: "12345", productID: "com.example.product",
      type: .autoRenewableSubscription, ownership: .purchased, environment: .localTesting,
      purchaseDate: Moment(milliseconds: 1_698_148_900_000), expiresDate: Moment(milliseconds: 1_698_149_000_000),
      signedDate: Moment(milliseconds: 1_698_148_900_000), isUpgraded: true,
      revocationDate: Moment(milliseconds: 1_698_148_950_000), revocationReason: .developerIssue,
      revocationType: .refundProrated, revocationPercentage: 50_000, priceMilliunits: 10_990, currency: "USD",
      appTransactionID: "71134", appAccountToken: "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    let others =
      #"{"webOrderLineItemId":"34343","subscriptionGroupIdentifier":"55555","originalPurchaseDate":1698148800000,"quantity":1,"#
      + #""offerType":1,"offerIdentifier":"abc.123","storefront":"USA","storefrontId":"143441","transactionReason":"PURCHASE","#
      + #""offerDiscountType":"PAY_AS_YOU_GO","offerPeriod":"P1Y"}"#
    #expect(
      document.recording
        == Recording(
          customer: "ana", rows: [Recording.Row(transaction: transaction, bundleID: "com.example", otherFields: others)],
          sharedFrom: ["9"], source: .import, receivedAt: receipt))
    #expect(document.kind == .transaction)
    #expect(document.signedDate == Moment(milliseconds: 1_698_148_900_000))
    #expect(document.warnings == [])
  }

  @Test("needs no more than its id and product; null counts as absent")
  func needsLittle() throws {
    let document = try read(["transactionId": "1", "productId": "p", "price": .null, "storefront": .null])
    let least = Transaction(transactionID: "1", originalTransactionID: "1", productID: "p")
    #expect(document.recording == Recording(rows: [Recording.Row(transaction: least)], source: .device, receivedAt: receipt))
    #expect(document.signedDate == nil)
    #expect(document.warnings == [])
  }

  @Test(
    "is refused by the path of the field that is wrong",
    arguments: [
      ("transactionId", nil, "missing"), ("productId", nil, "missing"),
      ("transactionId", 23456, "expected a string, found an integer"),
      ("productId", true, "expected a string, found true"), ("originalTransactionId", 1, "expected a string, found an integer"),
      ("transactionId", "", "expected 1 to 128 bytes, found 0"), ("bundleId", 1, "expected a string, found an integer"),
      ("type", 1, "expected a string, found an integer"), ("inAppOwnershipType", 1, "expected a string, found an integer"),
      ("inAppOwnershipType", "", "expected 1 to 128 bytes, found 0"), ("environment", [], "expected a string, found an array"),
      ("purchaseDate", "1698148900000", "expected an integer of milliseconds, found a string"),
      ("purchaseDate", -1, "expected milliseconds of the years 1970 to 9999, found -1"),
      ("expiresDate", 253_402_300_800_000, "expected milliseconds of the years 1970 to 9999, found 253402300800000"),
      ("expiresDate", .fraction(1.5), "expected an integer of milliseconds, found 1.5"),
      ("signedDate", false, "expected an integer of milliseconds, found false"),
      ("revocationDate", [:], "expected an integer of milliseconds, found an object"),
      ("isUpgraded", 1, "expected true or false, found an integer"),
      ("isUpgraded", "true", "expected true or false, found a string"),
      ("revocationReason", true, "expected an integer or a name, found true"),
      ("revocationType", 2, "expected a string, found an integer"),
      ("revocationPercentage", 100_001, "expected at most 100000 (100 %), found 100001"),
      ("revocationPercentage", -1, "expected a count, found the negative -1"),
      ("revocationPercentage", "40", "expected an integer, found a string"),
      ("price", -1, "expected a count, found the negative -1"),
      ("price", "9.99", "expected an integer, found a string"), ("quantity", -1, "expected a count, found the negative -1"),
      ("currency", 840, "expected a string, found an integer"), ("appTransactionId", 7, "expected a string, found an integer"),
      ("appAccountToken", 7, "expected a string, found an integer"),
    ] as [(String, JSONValue?, String)])
  func wrongFields(key: String, value: JSONValue?, message: String) {
    let error = #expect(throws: JSONError.self) { try read(renewalTransaction.setting(key, to: value)) }
    #expect(error?.path == key)
    #expect(error?.message == message)
  }

  @Test("may have ids and words of 128 bytes and no more", arguments: [(127, true), (128, true), (129, false)])
  func limitsText(count: Int, isAccepted: Bool) {
    let keys = [
      "transactionId", "originalTransactionId", "productId", "bundleId", "type", "inAppOwnershipType", "environment",
      "revocationReason", "revocationType", "currency", "appTransactionId", "appAccountToken",
    ]
    for key in keys {
      let text = String(repeating: "x", count: count)
      let outcome = Result { try read(renewalTransaction.setting(key, to: .string(text))) }
      #expect(((try? outcome.get()) != nil) == isAccepted, "\(key)")
    }
  }

  @Test("may be dated from the first millisecond of 1970 to the last of 9999", arguments: [0, 253_402_300_799_999] as [Int64])
  func limitsDates(milliseconds: Int64) throws {
    let found = try row(renewalTransaction.setting("expiresDate", to: .integer(milliseconds)))
    #expect(found.transaction.expiresDate == Moment(milliseconds: milliseconds))
  }

  @Test("takes a whole number with a fraction of zero, and the bounds of a percentage")
  func takesWholeNumbers() throws {
    let text = #"{"transactionId":"1","productId":"p","purchaseDate":1.6981489e12,"price":990.0,"revocationPercentage":0}"#
    let transaction = try AppleDocument(parsing: text, receivedAt: receipt).recording.rows[0].transaction
    #expect(transaction.purchaseDate == Moment(milliseconds: 1_698_148_900_000))
    #expect(transaction.priceMilliunits == 990)
    #expect(transaction.revocationPercentage == 0)
    #expect(try row(renewalTransaction.setting("revocationPercentage", to: 100_000)).transaction.revocationPercentage == 100_000)
  }

  @Test(
    "takes a revocation reason as number or as name",
    arguments: [
      (0, .other), (1, .developerIssue), (7, .unnamed("7")), ("0", .other), ("upgradedToBundle", .upgradedToBundle),
      ("newReason", .unnamed("newReason")),
    ] as [(JSONValue, RevocationReason)])
  func takesReasons(value: JSONValue, reason: RevocationReason) throws {
    #expect(try row(renewalTransaction.setting("revocationReason", to: value)).transaction.revocationReason == reason)
  }

  @Test("keeps words that it doesn't know, and leaves it to the ledger to warn of those that grant nothing")
  func keepsUnknownWords() throws {
    let document = try read(
      renewalTransaction.setting("type", to: "Time Capsule").setting("inAppOwnershipType", to: "ASSIGNED")
        .setting("environment", to: "Moon").setting("revocationType", to: "NEW"))
    let transaction = document.recording.rows[0].transaction
    #expect(transaction.type == .other("Time Capsule"))
    #expect(transaction.ownership == .other("ASSIGNED"))
    #expect(transaction.environment == .other("Moon"))
    #expect(transaction.revocationType == .other("NEW"))
    #expect(document.warnings == [])
  }

  @Test("takes any type in a field that no rule uses")
  func toleratesUnusedFields() throws {
    let least: JSONValue = ["transactionId": "1", "productId": "p", "purchaseDate": 0]
    let found = try row(
      least.setting("storefront", to: 7).setting("quantity", to: "two").setting("new", to: ["a": [1, .fraction(2)]]))
    #expect(found.otherFields == #"{"storefront":7,"quantity":"two","new":{"a":[1,2.0]}}"#)
  }

  @Test("keeps 4 KiB of other fields, and drops more with a warning", arguments: [(4_095, true), (4_096, true), (4_097, false)])
  func limitsOtherFields(count: Int, isKept: Bool) throws {
    let text = String(repeating: "x", count: count - #"{"new":""}"#.utf8.count)
    let document = try read(["transactionId": "1", "productId": "p", "purchaseDate": 1, "new": .string(text)])
    #expect(document.recording.rows[0].otherFields?.utf8.count == (isKept ? count : nil))
    #expect(
      document.warnings
        == (isKept ? [] : ["transaction 1: its other fields have 4097 bytes, more than 4096, and are dropped"]))
  }
}
