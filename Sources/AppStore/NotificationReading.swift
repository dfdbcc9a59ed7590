import Entitlements
import JSON

extension AppleDocument {
  /// Reads a version 2 notification with decoded objects inside. Without any it has no rows: a test, a summary, a purchase token
  /// or a withdrawn consent.
  mutating func readNotification(_ root: JSONReader, type: String, subtype: String?) throws(JSONError) {
    signedDate = try root.optional("signedDate")?.moment()
    recording.notification = Recording.Notification(
      type: type, subtype: subtype, uuid: try root.optional("notificationUUID")?.text(), signedDate: signedDate)
    if NotificationType(rawValue: type) == nil {
      warnings.append("the notification type \(JSONReader.quoted(type)) is unknown; what it carries is recorded all the same")
    }
    guard let data = try root.optional("data") else { return }
    let envelope = Envelope(
      environment: try data.optional("environment")?.word(), bundleID: try data.optional("bundleId")?.text())
    if let transaction = try data.optional("signedTransactionInfo")?.decodedObject() {
      var row = try Recording.Row(transaction: transaction, in: envelope, warnings: &warnings)
      if type == NotificationType.revoke.rawValue, row.transaction.revocationDate == nil {
        row.revokeMark = signedDate ?? row.transaction.signedDate
        warnings.append(
          "transaction \(row.transaction.transactionID): revoked without a revocation date, as of when that was signed")
      }
      recording.rows = [row]
    }
    if let renewalInfo = try data.optional("signedRenewalInfo")?.decodedObject() {
      recording.renewalInfos = [
        try Recording.Renewal(renewalInfo: renewalInfo, with: recording.rows.first, in: envelope, warnings: &warnings)
      ]
    }
  }
}
