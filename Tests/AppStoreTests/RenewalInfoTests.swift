import AppStore
import Entitlements
import JSON
import Testing

@Suite("A renewal info")
struct RenewalInfoTests {
  private let expected = RenewalInfo(
    originalTransactionID: "12345", environment: .production, signedDate: Moment(milliseconds: 1_698_149_000_100),
    gracePeriodExpiresDate: Moment(milliseconds: 1_698_149_900_000), isInBillingRetryPeriod: true,
    autoRenewProductID: "com.example.product.2", autoRenewStatus: 1, expirationIntent: 2)

  private let others = #"{"productId":"com.example.product","renewalDate":1698149000000}"#

  @Test("alone gives each field that a rule uses, and keeps the others as they are")
  func alone() throws {
    let document = try read(graceRenewalInfo)
    #expect(document.kind == .renewalInfo)
    #expect(document.signedDate == Moment(milliseconds: 1_698_149_000_100))
    #expect(
      document.recording
        == Recording(renewalInfos: [.init(info: expected, otherFields: others)], source: .device, receivedAt: receipt))
  }

  @Test("beside a bare transaction takes lineage, environment and app from it where it names none")
  func besideATransaction() throws {
    let bare = graceRenewalInfo.setting("originalTransactionId", to: nil).setting("environment", to: nil)
    let document = try read(renewalTransaction, renewalInfo: bare)
    #expect(document.recording.renewalInfos == [.init(info: expected, bundleID: "com.example", otherFields: others)])
    let own = try read(renewalTransaction, renewalInfo: bare.setting("originalTransactionId", to: "777"))
    #expect(own.recording.renewalInfos.map(\.info.originalTransactionID) == ["777"])
  }

  @Test("keeps 4 KiB of other fields, and drops more with a warning", arguments: [(4_095, true), (4_096, true), (4_097, false)])
  func limitsOtherFields(count: Int, isKept: Bool) throws {
    let text = JSONValue.string(String(repeating: "x", count: count - #"{"new":""}"#.utf8.count))
    let info: JSONValue = ["originalTransactionId": "1", "autoRenewStatus": 1, "new": text]
    let warnings = isKept ? [] : ["renewal info of 1: its other fields have 4097 bytes, more than 4096, and are dropped"]
    let documents = [
      try read(info), try read(renewalTransaction, renewalInfo: info), try read(notification("DID_RENEW", renewalInfo: info)),
    ]
    for document in documents {
      #expect(document.recording.renewalInfos.map { $0.otherFields?.utf8.count } == [isKept ? count : nil])
      #expect(document.warnings == warnings)
    }
  }

  @Test("beside anything but a bare transaction is refused")
  func besideANotification() {
    let error = #expect(throws: JSONError.self) { try read(notification("TEST"), renewalInfo: graceRenewalInfo) }
    #expect(error?.message == "a renewal info of its own belongs to a bare transaction only")
  }

  @Test(
    "is refused by the path of the field that is wrong",
    arguments: [
      ("originalTransactionId", nil, "missing"), ("originalTransactionId", 12345, "expected a string, found an integer"),
      ("autoRenewProductId", 1, "expected a string, found an integer"), ("environment", 1, "expected a string, found an integer"),
      ("signedDate", "x", "expected an integer of milliseconds, found a string"),
      ("gracePeriodExpiresDate", true, "expected an integer of milliseconds, found true"),
      ("isInBillingRetryPeriod", 1, "expected true or false, found an integer"),
      ("autoRenewStatus", "1", "expected an integer, found a string"),
      ("autoRenewStatus", 2_147_483_648, "expected a 32-bit integer, found 2147483648"),
      ("expirationIntent", [], "expected an integer, found an array"),
    ] as [(String, JSONValue?, String)])
  func wrongFields(key: String, value: JSONValue?, message: String) {
    let error = #expect(throws: JSONError.self) { try read(graceRenewalInfo.setting(key, to: value)) }
    #expect(error?.path == key)
    #expect(error?.message == message)
    let transaction = renewalTransaction.setting("originalTransactionId", to: nil)
    guard value != nil else { return }
    let beside = #expect(throws: JSONError.self) { try read(transaction, renewalInfo: graceRenewalInfo.setting(key, to: value)) }
    #expect(beside?.path == "renewalInfo.\(key)")
  }
}
