/// How two snapshots of the same thing compare.
package enum VersionOrder: Sendable {
  case newer
  case same
  case older

  fileprivate init<Value: Comparable>(_ one: Value, over other: Value) {
    self = one == other ? .same : one > other ? .newer : .older
  }

  /// This order, unless both are the same so far; then the next one decides.
  fileprivate func then(_ next: @autoclosure () -> VersionOrder) -> VersionOrder { self == .same ? next() : self }
}

extension Transaction {
  /// How this version compares to another one of the same transaction.
  ///
  /// The greatest signed date wins. In the same millisecond the revoked one does, the earlier revocation date first; then the
  /// upgraded one; then the later expiry; then a fixed comparison of their bytes. The order of arrival never decides.
  package func order(over other: Transaction) -> VersionOrder {
    VersionOrder(signedDate, over: other.signedDate)
      .then(VersionOrder(revocationRank, over: other.revocationRank))
      .then(VersionOrder(isUpgraded ? 1 : 0, over: other.isUpgraded ? 1 : 0))
      .then(VersionOrder(expiresDate ?? .distantPast, over: other.expiresDate ?? .distantPast))
      .then(VersionOrder(fixedText, over: other.fixedText))
  }

  /// Greater the earlier it was revoked; least where it wasn't.
  private var revocationRank: Int64 { revocationDate.map { -1 - $0.milliseconds } ?? .min }

  /// All other fields as one text, which serves only to compare two versions.
  private var fixedText: Identifier {
    let words: [String?] = [
      originalTransactionID.text, productID.text, type?.text, ownership.text, environment?.text,
      purchaseDate.map { String($0.milliseconds) }, revocationReason?.text, revocationType?.text,
      revocationPercentage.map { String($0) }, priceMilliunits.map { String($0) }, currency, appTransactionID?.text,
      appAccountToken,
    ]
    return Identifier(fixedText: words)
  }
}

extension RenewalInfo {
  /// How this renewal info compares to another one of the same lineage.
  ///
  /// The greatest signed date wins; in the same millisecond the later grace date (none is the earliest), then the one in billing
  /// retry, then a fixed comparison of their bytes.
  package func order(over other: RenewalInfo) -> VersionOrder {
    VersionOrder(signedDate, over: other.signedDate)
      .then(VersionOrder(gracePeriodExpiresDate ?? .distantPast, over: other.gracePeriodExpiresDate ?? .distantPast))
      .then(VersionOrder(isInBillingRetryPeriod ? 1 : 0, over: other.isInBillingRetryPeriod ? 1 : 0))
      .then(VersionOrder(fixedText, over: other.fixedText))
  }

  private var fixedText: Identifier {
    let words: [String?] = [
      autoRenewProductID?.text, autoRenewStatus.map { String($0) }, expirationIntent.map { String($0) }, environment?.text,
    ]
    return Identifier(fixedText: words)
  }
}

extension Identifier {
  /// One text for several words, each with its length before it, so that no two lists of words have the same.
  fileprivate init(fixedText words: [String?]) {
    self.init(words.map { $0.map { "\($0.utf8.count)+" + $0 } ?? "-" }.joined())
  }
}
