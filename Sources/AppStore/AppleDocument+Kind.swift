import JSON

extension AppleDocument {
  /// The keys that only a transaction has, and those that only a renewal info has.
  private static let transactionKeys = ["transactionId", "purchaseDate", "inAppOwnershipType"]
  private static let renewalInfoKeys = [
    "autoRenewProductId", "autoRenewStatus", "renewalDate", "gracePeriodExpiresDate", "isInBillingRetryPeriod",
    "expirationIntent", "recentSubscriptionStartDate", "renewalPrice",
  ]
  /// The keys under which Apple delivers what is signed.
  private static let signedKeys = ["signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedTransactions"]

  /// Parses the outermost object; a bare JWS is refused for what it is.
  static func object(parsing bytes: [UInt8], name: String = "") throws(JSONError) -> JSONReader {
    // A JWS begins with the Base64 of `{"`.
    if bytes.starts(with: "eyJ".utf8) { throw JSONError(message: JSONReader.undecoded, path: name, line: 1, column: 1) }
    return try JSONDocument(parsing: bytes, name: name).root.decodedObject()
  }

  /// Recognises a document by its keys.
  static func kind(of root: JSONReader) throws(JSONError) -> Kind {
    func has(_ key: String) -> Bool { root.value[key].map { $0.content != .null } ?? false }
    if has("notificationType") {
      return .notification(
        type: try root.required("notificationType").text(), subtype: try root.optional("subtype")?.text())
    }
    if has("notification_type") { return .notificationV1(type: try root.required("notification_type").text()) }
    if transactionKeys.contains(where: has) { return .transaction }
    if renewalInfoKeys.contains(where: has) { return .renewalInfo }
    if has("originalTransactionId"), has("signedDate") { return .renewalInfo }
    for key in signedKeys where has(key) {
      let signed = try root.required(key)
      throw signed.error(JSONReader.undecoded)
    }
    throw root.error(
      "expected a notification (notificationType, or notification_type in version 1), a transaction (transactionId) "
        + "or a renewal info (originalTransactionId with autoRenewProductId), found none of their keys")
  }
}
