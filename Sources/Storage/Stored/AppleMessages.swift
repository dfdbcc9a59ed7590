import Entitlements
import LatchkeyWire

// What Apple signs, between the domain's values and the messages of the schema. Both the wire and the journal hold these
// messages, so this is the one place where a field is carried over.

extension Entitlements.Transaction {
  /// Takes a transaction from its message: what is empty, or 0 where the schema says so, is missing.
  package init(_ message: LatchkeyWire.Transaction) {
    self.init(
      transactionID: Identifier(message.transactionID),
      originalTransactionID: message.originalTransactionID.isEmpty ? nil : Identifier(message.originalTransactionID),
      productID: Identifier(message.productID),
      type: ProductType(message.type, raw: message.rawType),
      ownership: Ownership(message.ownership, raw: message.rawOwnership),
      environment: Environment(message.environment, raw: message.rawEnvironment),
      purchaseDate: message.purchaseDateMilliseconds == 0 ? nil : Moment(milliseconds: message.purchaseDateMilliseconds),
      expiresDate: message.expiresDateMilliseconds.map { Moment(milliseconds: $0) },
      signedDate: Moment(milliseconds: message.signedDateMilliseconds),
      isUpgraded: message.isUpgraded,
      revocationDate: message.revocationDateMilliseconds.map { Moment(milliseconds: $0) },
      revocationReason: message.revocationReason.map { RevocationReason($0, raw: message.rawRevocationReason) },
      revocationType: RevocationType(message.revocationType, raw: message.rawRevocationType),
      revocationPercentage: message.revocationPercentage,
      priceMilliunits: message.priceMilliunits,
      currency: message.currency.isEmpty ? nil : message.currency,
      appTransactionID: message.appTransactionID.isEmpty ? nil : Identifier(message.appTransactionID),
      appAccountToken: message.appAccountToken.isEmpty ? nil : message.appAccountToken)
  }
}

extension Entitlements.Transaction {
  /// Its message, with the app that it came from where that is known.
  package func message(bundleID: String? = nil) -> LatchkeyWire.Transaction {
    var message = LatchkeyWire.Transaction()
    message.transactionID = transactionID.text
    message.originalTransactionID = originalTransactionID.text
    message.productID = productID.text
    (message.type, message.rawType) = LatchkeyWire.ProductType.pair(type)
    (message.ownership, message.rawOwnership) = LatchkeyWire.Ownership.pair(ownership)
    (message.environment, message.rawEnvironment) = LatchkeyWire.Environment.pair(environment)
    message.purchaseDateMilliseconds = purchaseDate?.milliseconds ?? 0
    message.expiresDateMilliseconds = expiresDate?.milliseconds
    message.revocationDateMilliseconds = revocationDate?.milliseconds
    message.signedDateMilliseconds = signedDate.milliseconds
    message.isUpgraded = isUpgraded
    (message.revocationReason, message.rawRevocationReason) = LatchkeyWire.RevocationReason.pair(revocationReason)
    (message.revocationType, message.rawRevocationType) = LatchkeyWire.RevocationType.pair(revocationType)
    message.revocationPercentage = revocationPercentage
    message.priceMilliunits = priceMilliunits
    message.currency = currency ?? ""
    message.appTransactionID = appTransactionID?.text ?? ""
    message.appAccountToken = appAccountToken ?? ""
    message.bundleID = bundleID ?? ""
    return message
  }
}

extension Entitlements.RenewalInfo {
  /// Takes a renewal info from its message.
  package init(_ message: LatchkeyWire.RenewalInfo) {
    self.init(
      originalTransactionID: Identifier(message.originalTransactionID),
      environment: Environment(message.environment, raw: message.rawEnvironment),
      signedDate: Moment(milliseconds: message.signedDateMilliseconds),
      gracePeriodExpiresDate: message.gracePeriodExpiresDateMilliseconds.map { Moment(milliseconds: $0) },
      isInBillingRetryPeriod: message.isInBillingRetryPeriod,
      autoRenewProductID: message.autoRenewProductID.isEmpty ? nil : Identifier(message.autoRenewProductID),
      autoRenewStatus: message.autoRenewStatus,
      expirationIntent: message.expirationIntent)
  }
}

extension LatchkeyWire.RenewalInfo {
  /// The message of a renewal info, with the app that it came from where that is known.
  package init(_ info: borrowing Entitlements.RenewalInfo, bundleID: String? = nil) {
    self.init()
    originalTransactionID = info.originalTransactionID.text
    signedDateMilliseconds = info.signedDate.milliseconds
    gracePeriodExpiresDateMilliseconds = info.gracePeriodExpiresDate?.milliseconds
    isInBillingRetryPeriod = info.isInBillingRetryPeriod
    autoRenewProductID = info.autoRenewProductID?.text ?? ""
    autoRenewStatus = info.autoRenewStatus
    expirationIntent = info.expirationIntent
    (environment, rawEnvironment) = LatchkeyWire.Environment.pair(info.environment)
    self.bundleID = bundleID ?? ""
  }
}

extension Recording.Notification {
  /// Takes the identity of a notification from its message.
  package init(_ message: LatchkeyWire.Notification) {
    let signed = message.signedDateMilliseconds
    self.init(
      type: message.type.isEmpty ? nil : message.type,
      subtype: message.subtype.isEmpty ? nil : message.subtype,
      uuid: message.uuid.isEmpty ? nil : message.uuid,
      signedDate: signed == 0 ? nil : Moment(milliseconds: signed))
  }
}

extension LatchkeyWire.Notification {
  /// The message of a notification's identity: what else it says is in the rows and renewal infos of its recording.
  init(_ notification: Recording.Notification) {
    self.init()
    type = notification.type ?? ""
    subtype = notification.subtype ?? ""
    uuid = notification.uuid ?? ""
    signedDateMilliseconds = notification.signedDate?.milliseconds ?? 0
  }
}
