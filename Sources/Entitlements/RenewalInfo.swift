/// The signed renewal state of a lineage: what Apple's `JWSRenewalInfoDecodedPayload` says about its next period.
package struct RenewalInfo: Hashable, Sendable {
  /// Its own, else that of the transaction it came with.
  package var originalTransactionID: Identifier
  package var environment: Environment?
  /// Zero where it is missing.
  package var signedDate: Moment
  package var gracePeriodExpiresDate: Moment?
  package var isInBillingRetryPeriod: Bool
  package var autoRenewProductID: Identifier?
  /// 1: it will renew, 0: it won't.
  package var autoRenewStatus: Int32?
  /// Apple's numbers, 1 to 5.
  package var expirationIntent: Int32?

  package init(
    originalTransactionID: Identifier, environment: Environment? = nil, signedDate: Moment = Moment(milliseconds: 0),
    gracePeriodExpiresDate: Moment? = nil, isInBillingRetryPeriod: Bool = false, autoRenewProductID: Identifier? = nil,
    autoRenewStatus: Int32? = nil, expirationIntent: Int32? = nil
  ) {
    self.originalTransactionID = originalTransactionID
    self.environment = environment
    self.signedDate = signedDate
    self.gracePeriodExpiresDate = gracePeriodExpiresDate
    self.isInBillingRetryPeriod = isInBillingRetryPeriod
    self.autoRenewProductID = autoRenewProductID
    self.autoRenewStatus = autoRenewStatus
    self.expirationIntent = expirationIntent
  }
}
