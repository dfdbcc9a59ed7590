/// Refunds and what is told apart from them, counted: the whole of a report, or one line of it.
package struct RefundCounts: Hashable, Sendable {
  package var refunds = 0
  /// The refunds that paid back a part alone.
  package var refundsInPart = 0
  /// The refunds whose reason is an issue in the app.
  package var developerIssues = 0
  package var sharedRefunds = 0
  package var familyDepartures = 0
  package var bundleUpgrades = 0
  /// Refunds that were taken back.
  package var reversals = 0
  /// Transactions that nobody holds.
  package var unclaimed = 0
  /// Who lost access by these refunds; a person counts once for each.
  package var people = 0
  /// What was paid back, in milliunits by currency, at most the greatest number there is; only of refunds with a price.
  package var amounts = Amounts()

  package init() {}

  /// Counts one revocation.
  mutating func count(_ kind: RefundClass, _ transaction: Transaction, people: Int) {
    switch kind {
    case .refund:
      refunds += 1
      if transaction.isRefundedInPart { refundsInPart += 1 }
      if transaction.revocationReason == .developerIssue { developerIssues += 1 }
      self.people += people
      amounts.add(transaction.refundedMilliunits, of: transaction)
    case .sharedRefund: sharedRefunds += 1
    case .familyDeparture: familyDepartures += 1
    case .bundleUpgrade: bundleUpgrades += 1
    }
  }
}

/// Sums of money, each of one currency.
package struct Amounts: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// In milliunits, by ISO 4217 code.
  package private(set) var byCurrency: [String: Int64] = [:]

  package init() {}

  package init(dictionaryLiteral elements: (String, Int64)...) {
    byCurrency = Dictionary(elements) { $0 + $1 }
  }

  package var isEmpty: Bool { byCurrency.isEmpty }

  /// Adds an amount of a transaction, which stays out without a currency; a sum that can't be counted stays at the greatest number.
  mutating func add(_ milliunits: Int64?, of transaction: Transaction) {
    guard let milliunits, let currency = transaction.currency else { return }
    let (sum, overflow) = (byCurrency[currency] ?? 0).addingReportingOverflow(milliunits)
    byCurrency[currency] = overflow ? .max : sum
  }
}
