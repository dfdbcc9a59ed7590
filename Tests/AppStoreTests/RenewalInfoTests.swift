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

  @Test("alone gives each field that a rule uses")
  func alone() throws {
    let document = try read(graceRenewalInfo)
    #expect(document.kind == .renewalInfo)
    #expect(document.signedDate == Moment(milliseconds: 1_698_149_000_100))
    #expect(
      document.recording
        == Recording(renewalInfos: [Recording.Renewal(info: expected)], source: .device, receivedAt: receipt))
  }

  @Test("beside a bare transaction takes lineage, environment and app from it where it names none")
  func besideATransaction() throws {
    let bare = graceRenewalInfo.setting("originalTransactionId", to: nil).setting("environment", to: nil)
    let document = try read(renewalTransaction, renewalInfo: bare)
    #expect(document.recording.renewalInfos == [Recording.Renewal(info: expected, bundleID: "com.example")])
    let own = try read(renewalTransaction, renewalInfo: bare.setting("originalTransactionId", to: "777"))
    #expect(own.recording.renewalInfos.map(\.info.originalTransactionID) == ["777"])
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
