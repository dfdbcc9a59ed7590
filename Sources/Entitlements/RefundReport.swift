/// What refunds really cost: payments reversed told apart from people cut.
package struct RefundReport: Hashable, Sendable {
  /// Purchases that were refunded: one payment reversed each.
  package var refunds = 0
  /// Shared transactions that a refund cut: a person each, no payment of their own.
  package var sharedRefunds = 0
  /// Shared transactions whose holder left the family, or with whom sharing was stopped.
  package var familyDepartures = 0
  /// Revocations that were upgrades to a bundle.
  package var bundleUpgrades = 0
  /// Refunds that were taken back.
  package var reversals = 0
  /// Transactions that nobody holds.
  package var unclaimed = 0
  /// What was paid back, in milliunits by currency, at most the greatest number there is; only of refunds with a price.
  package var amounts: [String: Int64] = [:]

  package init() {}
}

extension Ledger {
  /// The refund report over all time, of the server's own environment.
  package func refundReport() -> RefundReport {
    var report = RefundReport()
    for record in records where record.environment == settings.environment { report.count(record) }
    return report
  }
}

extension RefundReport {
  fileprivate mutating func count(_ record: Record) {
    if record.holders.isEmpty, !record.isAnonymous { unclaimed += 1 }
    if record.isReversed { reversals += 1 }
    let transaction = record.transaction
    guard record.revokedFrom != nil else { return }
    let hasDate = transaction.revocationDate != nil
    if hasDate, transaction.revocationReason == .upgradedToBundle {
      bundleUpgrades += 1
      return
    }
    switch transaction.ownership {
    case .purchased where hasDate:
      refunds += 1
      if let currency = transaction.currency, let amount = transaction.refundedMilliunits {
        let (sum, overflow) = (amounts[currency] ?? 0).addingReportingOverflow(amount)
        amounts[currency] = overflow ? .max : sum
      }
    case .familyShared where hasDate && transaction.revocationType != .familyRevoke: sharedRefunds += 1
    case .familyShared: familyDepartures += 1
    default: break
    }
  }
}

extension Transaction {
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
