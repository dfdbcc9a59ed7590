/// What a revocation is in the counting of money: counting refunds is not counting revocations.
package enum RefundClass: Hashable, Sendable {
  /// A purchase that was refunded: one payment reversed.
  case refund
  /// A shared transaction that a refund cut: a person, no payment of their own.
  case sharedRefund
  /// A shared transaction whose holder left the family, or with whom sharing was stopped.
  case familyDeparture
  /// A purchase or copy that an upgrade to a bundle ended: no refund.
  case bundleUpgrade
}

extension Record {
  /// The class of its revocation; nil while it isn't revoked, and for what is in no class: a purchase revoked without a date, an
  /// ownership that is unknown.
  package var refundClass: RefundClass? {
    guard revokedFrom != nil else { return nil }
    let hasDate = transaction.revocationDate != nil
    if hasDate, transaction.revocationReason == .upgradedToBundle { return .bundleUpgrade }
    switch transaction.ownership {
    case .purchased: return hasDate ? .refund : nil
    case .familyShared: return hasDate && transaction.revocationType != .familyRevoke ? .sharedRefund : .familyDeparture
    case .other: return nil
    }
  }
}

extension Transaction {
  /// Whether its refund paid back a part alone: by the type that Apple gives, else by the percentage.
  package var isRefundedInPart: Bool {
    switch revocationType {
    case .refundProrated: true
    case .refundFull: false
    default: revocationPercentage.map { $0 < 100_000 } ?? false
    }
  }

  /// What a refund of this transaction pays back, rounded down to a milliunit: the whole price where Apple names no percentage.
  /// Nil without a price.
  package var refundedMilliunits: Int64? {
    guard let priceMilliunits else { return nil }
    guard let revocationPercentage else { return priceMilliunits }
    let product = priceMilliunits.multipliedFullWidth(by: Int64(revocationPercentage))
    // 100,000 stands for 100 %, so the quotient is never above the price.
    return Int64(100_000).dividingFullWidth(product).quotient
  }
}
