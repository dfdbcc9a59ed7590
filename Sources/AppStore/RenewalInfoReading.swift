import Entitlements
import JSON

extension Recording.Renewal {
  private static let readFields: Set<String> = [
    "originalTransactionId", "environment", "signedDate", "gracePeriodExpiresDate", "isInBillingRetryPeriod",
    "autoRenewProductId", "autoRenewStatus", "expirationIntent", "bundleId",
  ]

  /// Reads Apple's `JWSRenewalInfoDecodedPayload`, decoded. Fields that no rule uses are kept as they are, of whatever type.
  ///
  /// - Parameters:
  ///   - row: the transaction that it came with, whose lineage, environment and app stand in where it names none itself.
  ///   - envelope: the notification's, where there is no such transaction.
  init(
    renewalInfo object: JSONReader, with row: Recording.Row?, in envelope: Envelope, warnings: inout [String]
  ) throws(JSONError) {
    let ownID = try object.optional("originalTransactionId")?.identifier()
    guard let lineage = ownID ?? row?.transaction.originalTransactionID else { throw object.missing("originalTransactionId") }
    let info = RenewalInfo(
      originalTransactionID: lineage,
      environment: try object.optional("environment")?.word() ?? row?.transaction.environment ?? envelope.environment,
      signedDate: try object.optional("signedDate")?.moment() ?? Moment(milliseconds: 0),
      gracePeriodExpiresDate: try object.optional("gracePeriodExpiresDate")?.moment(),
      isInBillingRetryPeriod: try object.optional("isInBillingRetryPeriod")?.boolean() ?? false,
      autoRenewProductID: try object.optional("autoRenewProductId")?.identifier(),
      autoRenewStatus: try object.optional("autoRenewStatus")?.code(),
      expirationIntent: try object.optional("expirationIntent")?.code())
    let bundleID = try object.optional("bundleId")?.text()
    self.init(info: info, bundleID: bundleID ?? row?.bundleID ?? envelope.bundleID)
    otherFields = try OtherFields.kept(of: object, except: Recording.Renewal.readFields, name: name, warnings: &warnings)
  }

  /// What warnings call it.
  var name: String { "renewal info of \(info.originalTransactionID)" }
}
