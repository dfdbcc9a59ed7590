import AppStore
import Entitlements
import JSON

let receipt = Moment(milliseconds: 1_790_000_000_000)

/// A renewal of a subscription, as Apple sends it.
let renewalTransaction: JSONValue = [
  "transactionId": "23456", "originalTransactionId": "12345", "webOrderLineItemId": "34343", "bundleId": "com.example",
  "productId": "com.example.product", "subscriptionGroupIdentifier": "55555", "purchaseDate": 1_698_148_900_000,
  "originalPurchaseDate": 1_698_148_800_000, "expiresDate": 1_698_149_000_000, "quantity": 1,
  "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED", "signedDate": 1_698_148_900_000,
  "environment": "Production",
]

/// A renewal info in its grace period.
let graceRenewalInfo: JSONValue = [
  "expirationIntent": 2, "originalTransactionId": "12345", "autoRenewProductId": "com.example.product.2",
  "productId": "com.example.product", "autoRenewStatus": 1, "isInBillingRetryPeriod": true,
  "gracePeriodExpiresDate": 1_698_149_900_000, "signedDate": 1_698_149_000_100, "environment": "Production",
  "renewalDate": 1_698_149_000_000,
]

extension JSONValue {
  /// The object with a member replaced, added, or (for nil) taken out.
  func setting(_ key: String, to value: JSONValue?) -> JSONValue {
    guard case .object(var members) = content else { return self }
    let place = members.firstIndex { $0.key == key }
    switch (place, value) {
    case (let place?, let value?): members[place].value = value
    case (let place?, nil): members.remove(at: place)
    case (nil, let value?): members.append(Member(key: key, value: value))
    case (nil, nil): break
    }
    return .object(members)
  }
}

/// A version 2 notification around a transaction and a renewal info.
func notification(
  _ type: String, subtype: String? = nil, transaction: JSONValue? = renewalTransaction, renewalInfo: JSONValue? = nil,
  data: JSONValue = ["environment": "Production", "bundleId": "com.example", "appAppleId": 41234]
) -> JSONValue {
  let data = data.setting("signedTransactionInfo", to: transaction).setting("signedRenewalInfo", to: renewalInfo)
  let notification: JSONValue = [
    "notificationType": .string(type), "notificationUUID": "3f0c1e7a-0000-4000-8000-000000000001", "version": "2.0",
    "signedDate": 1_698_150_000_500, "data": data,
  ]
  return subtype.map { notification.setting("subtype", to: .string($0)) } ?? notification
}

/// Reads a document received at `receipt`.
func read(_ document: JSONValue, renewalInfo: JSONValue? = nil) throws(JSONError) -> AppleDocument {
  try AppleDocument(parsing: document.compact, renewalInfo: renewalInfo?.compact, receivedAt: receipt)
}
