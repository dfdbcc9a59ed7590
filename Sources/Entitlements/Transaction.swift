/// One App Store transaction as Apple signed it: one version of it, with the fields that a rule, a reason or a report uses.
///
/// Names and units are those of Apple's `JWSTransactionDecodedPayload`. A renewal is another transaction; a refund is a newer
/// version of the same one.
package struct Transaction: Hashable, Sendable {
  package var transactionID: Identifier
  /// What links a purchase with its renewals; where Apple sends none, the transaction's own id.
  package var originalTransactionID: Identifier
  package var productID: Identifier
  /// Missing in version 1 notifications.
  package var type: ProductType?
  /// `purchased` where Apple sends none.
  package var ownership: Ownership
  /// Nil where neither the transaction nor its notification named one; the ledger then takes the server's own.
  package var environment: Environment?
  package var purchaseDate: Moment?
  package var expiresDate: Moment?
  /// When Apple made this version. Zero where it is missing.
  package var signedDate: Moment
  package var isUpgraded: Bool
  package var revocationDate: Moment?
  package var revocationReason: RevocationReason?
  package var revocationType: RevocationType?
  /// How much of the price was refunded: 100,000 is 100 %.
  package var revocationPercentage: Int32?
  /// The total for the quantity: 1,990 is 1.99.
  package var priceMilliunits: Int64?
  /// ISO 4217.
  package var currency: String?
  /// Names the Apple account and app; another one for each family member.
  package var appTransactionID: Identifier?
  package var appAccountToken: String?

  package init(
    transactionID: Identifier, originalTransactionID: Identifier? = nil, productID: Identifier, type: ProductType? = nil,
    ownership: Ownership = .purchased, environment: Environment? = nil, purchaseDate: Moment? = nil, expiresDate: Moment? = nil,
    signedDate: Moment = Moment(milliseconds: 0), isUpgraded: Bool = false, revocationDate: Moment? = nil,
    revocationReason: RevocationReason? = nil, revocationType: RevocationType? = nil, revocationPercentage: Int32? = nil,
    priceMilliunits: Int64? = nil, currency: String? = nil, appTransactionID: Identifier? = nil, appAccountToken: String? = nil
  ) {
    self.transactionID = transactionID
    // The same id is kept once.
    self.originalTransactionID = originalTransactionID.flatMap { $0 == transactionID ? nil : $0 } ?? transactionID
    self.productID = productID
    self.type = type
    self.ownership = ownership
    self.environment = environment
    // On the wire and on disk 0 stands for none, so it must stand for none here too.
    self.purchaseDate = purchaseDate == Moment(milliseconds: 0) ? nil : purchaseDate
    self.expiresDate = expiresDate
    self.signedDate = signedDate
    self.isUpgraded = isUpgraded
    self.revocationDate = revocationDate
    self.revocationReason = revocationReason
    self.revocationType = revocationType
    self.revocationPercentage = revocationPercentage
    self.priceMilliunits = priceMilliunits
    self.currency = currency
    self.appTransactionID = appTransactionID
    self.appAccountToken = appAccountToken
  }
}
