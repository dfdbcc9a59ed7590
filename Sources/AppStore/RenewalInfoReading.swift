import Entitlements
import JSON

extension Recording.Renewal {
  /// Reads Apple's `JWSRenewalInfoDecodedPayload`, decoded.
  ///
  /// - Parameters:
  ///   - row: the transaction that it came with, whose lineage, environment and app stand in where it names none itself.
  ///   - envelope: the notification's, where there is no such transaction.
  init(renewalInfo object: JSONReader, with row: Recording.Row?, in envelope: Envelope) throws(JSONError) {
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
  }
}
