import AppStore
import Entitlements
import JSON
import TestSupport
import Testing

@Suite("A document of Apple's")
struct AppleDocumentTests {
  @Test(
    "is recognised by its keys",
    arguments: [
      (#"{"notificationType":"TEST"}"#, .notification(type: "TEST", subtype: nil)),
      (#"{"notification_type":"REFUND"}"#, .notificationV1(type: "REFUND")),
      (#"{"transactionId":"1","productId":"p"}"#, .transaction),
      (#"{"originalTransactionId":"1","autoRenewStatus":1}"#, .renewalInfo),
      (#"{"originalTransactionId":"1","renewalDate":1}"#, .renewalInfo),
      (#"{"originalTransactionId":"1","signedDate":1}"#, .renewalInfo),
    ] as [(String, AppleDocument.Kind)])
  func isRecognised(text: String, kind: AppleDocument.Kind) throws {
    #expect(try AppleDocument(parsing: text, receivedAt: receipt).kind == kind)
  }

  @Test("that lacks its main id is refused by the name of the id")
  func namesTheMissingID() {
    let transaction = #expect(throws: JSONError.self) { try read(["originalTransactionId": "1", "purchaseDate": 1]) }
    #expect(transaction?.description == "line 1, column 1: transactionId: missing")
    let renewalInfo = #expect(throws: JSONError.self) { try read(["autoRenewProductId": "p", "productId": "p"]) }
    #expect(renewalInfo?.description == "line 1, column 1: originalTransactionId: missing")
  }

  @Test("of another kind is refused with what was expected", arguments: ["{}", #"{"hello":1}"#, #"{"transactionId":null}"#])
  func saysWhatWasExpected(text: String) {
    let error = #expect(throws: JSONError.self) { try AppleDocument(parsing: text, receivedAt: receipt) }
    #expect(
      error?.description
        == "line 1, column 1: expected a notification (notificationType, or notification_type in version 1), a transaction "
        + "(transactionId) or a renewal info (originalTransactionId with autoRenewProductId), found none of their keys")
  }

  @Test("is an object", arguments: ["[]", "5", "null", "true"])
  func isAnObject(text: String) {
    let error = #expect(throws: JSONError.self) { try AppleDocument(parsing: text, receivedAt: receipt) }
    #expect(error?.message.hasPrefix("expected the decoded object, found ") == true)
  }

  @Test("may have 1 MiB and no more", arguments: [(1_048_575, true), (1_048_576, true), (1_048_577, false)])
  func limitsSize(count: Int, isAccepted: Bool) {
    let beginning = #"{"transactionId":"1","productId":"p"}"#
    let text = beginning + String(repeating: " ", count: count - beginning.utf8.count)
    #expect(((try? AppleDocument(parsing: text, receivedAt: receipt)) != nil) == isAccepted)
  }

  @Test("is refused wherever it is cut off")
  func isRefusedWhereCutOff() {
    let bytes = Array(notification("REVOKE", renewalInfo: graceRenewalInfo).compact.utf8)
    for count in 0..<bytes.count {
      #expect(throws: JSONError.self) { try AppleDocument(parsing: Array(bytes.prefix(count)), receivedAt: receipt) }
    }
  }

  @Test("is read or refused, whatever bytes are changed in it", arguments: 0..<6 as Range<UInt64>)
  func survivesNoise(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let row: JSONValue = [
      "transaction_id": "20", "original_transaction_id": "10", "product_id": "p", "purchase_date_ms": "1772326800000",
      "is_upgraded": "true", "cancellation_reason": "1",
    ]
    let versionOne: JSONValue = [
      "notification_type": "CANCEL", "environment": "PROD",
      "unified_receipt": ["latest_receipt_info": [row], "pending_renewal_info": [["original_transaction_id": "10"]]],
    ]
    let originals = [
      notification("REVOKE", renewalInfo: graceRenewalInfo), renewalTransaction, graceRenewalInfo, versionOne,
    ].map { Array($0.compact.utf8) }
    let telling = Array("{}[]\",:\\u0e-.tfn9".utf8)
    for original in originals {
      for _ in 0..<300 {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let index = Int.random(in: 0..<bytes.count, using: &random)
          bytes[index] = random.oneIn(3) ? UInt8.random(in: 0...255, using: &random) : telling.randomElement(using: &random) ?? 0
        }
        guard let document = try? AppleDocument(parsing: bytes, receivedAt: receipt) else { continue }
        for row in document.recording.rows { #expect(row.transaction.transactionID.isAcceptable) }
      }
    }
  }
}

@Suite("A history of Apple's")
struct AppleHistoryTests {
  private func history(_ document: JSONValue) throws(JSONError) -> AppleHistory {
    try AppleHistory(parsing: document.compact, customer: "ana", receivedAt: receipt)
  }

  @Test("is one recording of all its transactions, in the customer's name and from the server API")
  func isOneRecording() throws {
    let history = try history([renewalTransaction, renewalTransaction.setting("transactionId", to: "2")])
    #expect(history.recording.rows.map(\.transaction.transactionID) == ["23456", "2"])
    #expect(history.recording.rows.map(\.bundleID) == ["com.example", "com.example"])
    #expect(history.recording.customer == "ana")
    #expect(history.recording.source == .serverAPI)
    #expect(history.recording.receivedAt == receipt)
    #expect(try AppleHistory(parsing: "[]", customer: "ana", receivedAt: receipt).recording.rows == [])
  }

  @Test("is refused by the index and field that is wrong")
  func namesTheIndex() {
    let missing = #expect(throws: JSONError.self) { try history([renewalTransaction, ["transactionId": "1"]]) }
    #expect(missing?.path == "[1].productId")
    let signed = #expect(throws: JSONError.self) { try history([renewalTransaction, "eyJ.a.b"]) }
    #expect(signed?.path == "[1]")
    #expect(throws: JSONError.self) { try history(renewalTransaction) }
  }

  @Test("may have 10,000 transactions and no more", arguments: [(9_999, true), (10_000, true), (10_001, false)])
  func limitsRows(count: Int, isAccepted: Bool) {
    let rows = [JSONValue](repeating: ["transactionId": "1", "productId": "p"], count: count)
    #expect(((try? history(.array(rows))) != nil) == isAccepted)
  }

  @Test("warns of each transaction whose other fields are dropped")
  func warnsOfDroppedFields() throws {
    let long = renewalTransaction.setting("new", to: .string(String(repeating: "x", count: 5_000)))
    let history = try history([long, renewalTransaction, long.setting("transactionId", to: "2")])
    #expect(history.recording.rows.map { $0.otherFields == nil } == [true, false, true])
    #expect(history.warnings.map { $0.prefix(30) } == ["transaction 23456: its other f", "transaction 2: its other field"])
  }
}
