/// How one transaction of a customer stands at a moment, for whoever asks why someone was let in or not.
package struct Explanation: Hashable, Sendable {
  package var record: Record
  /// What its product grants by the catalog, its own name included.
  package var entitlements: [Identifier]
  /// Nil for a transaction that could never grant.
  package var reason: Reason?
  /// Since when it grants, or is denied for this reason; nil: always.
  package var since: Moment?
  /// When that ends, if nothing else happens; nil: never.
  package var until: Moment?
  /// The type that counts for the rules.
  fileprivate var type: ProductType?
  /// The lineages of the purchases behind a shared transaction that are on record.
  package var linkedPurchases: [Identifier]

  package var grants: Bool { reason?.allows ?? false }

  /// The same in words: what it is, how it stands, and what to look at.
  package var sentence: String { Entitlements.sentence(self) }
}

extension Ledger {
  /// Explains each transaction of a customer at a moment, by purchase date; only those that concern one entitlement, if one is
  /// named.
  package func explain(_ customer: CustomerID, entitlement: Identifier? = nil, at moment: Moment) -> [Explanation] {
    let numbers = inOrder(holdings(of: customer))
    var explanations: [Explanation] = []
    explanations.reserveCapacity(numbers.count)
    var lineages = Remembered<LineageNumber, LineageState>()
    var products = Remembered<Identifier, [Identifier]>()
    for number in numbers {
      let product = records.productID(of: number)
      let granted = products.value(of: product, otherwise: catalog.entitlements(ofProduct: product))
      if let entitlement, !granted.contains(entitlement) { continue }
      let lineage = records.packed(number).lineage
      let access = access(by: number, in: lineages.value(of: lineage, otherwise: state(of: lineage)))
      explanations.append(explain(number, access, granting: granted, at: moment))
    }
    return explanations
  }

  private func explain(
    _ number: RecordNumber, _ access: TransactionAccess, granting entitlements: [Identifier], at moment: Moment
  ) -> Explanation {
    let record = records[number]
    let standing = access.standing(at: moment)
    let change = access.changes(around: moment, standing)
    let since = standing?.ended ?? change.last
    let linked = record.transaction.ownership == .familyShared ? linkedPurchases(of: number) : []
    var lineages = DistinctNumbers<LineageNumber>()
    for purchase in linked { lineages.insert(records.packed(purchase).lineage) }
    return Explanation(
      record: record, entitlements: entitlements, reason: standing?.reason, since: since == .distantPast ? nil : since,
      until: change.next, type: effectiveType(of: record.transaction),
      linkedPurchases: lineages.numbers.map { records.id(of: $0).id })
  }
}

extension TransactionAccess {
  /// When the reason for how it stands at a moment came about, and when it will stand otherwise; nil where that is never.
  fileprivate func changes(around moment: Moment, _ standing: Standing?) -> (last: Moment?, next: Moment?) {
    var (last, next): (Moment?, Moment?)
    forEachBoundary { boundary in
      if boundary > moment {
        if boundary < next ?? .distantFuture, self.standing(at: boundary) != standing { next = boundary }
      } else if boundary > last ?? .distantPast {
        if self.standing(at: boundary.earlier(byMilliseconds: 1))?.reason != standing?.reason { last = boundary }
      }
    }
    return (last, next)
  }
}

// MARK: - In words

/// What an on-call engineer reads.
private func sentence(_ explanation: Explanation) -> String {
  let transaction = explanation.record.transaction
  let since = explanation.since.map { " since \($0.iso8601)" } ?? ""
  let until = explanation.until.map { "until \($0.iso8601)" } ?? "without an end"
  switch explanation.reason {
  case .purchased: return "grants\(since) by the customer's own purchase, \(until)"
  case .familyShared: return "grants\(since) by Family Sharing, \(until)"
  case .gracePeriod: return "grants\(since) in Apple's billing grace period, \(until)"
  case .notYetValid:
    guard transaction.purchaseDate != nil else { return "never grants: Apple sent no purchaseDate" }
    return "doesn't grant yet: its period begins at \(explanation.until?.iso8601 ?? "a later moment")"
  case .expired:
    guard explanation.since != nil else { return "never grants: an auto-renewable subscription without an expiresDate" }
    return "ended\(since): its period is over, and no renewal of it is on record"
  case .billingRetry: return "ended\(since): the renewal couldn't be billed, and Apple is still retrying, without a grace period"
  case .refunded:
    guard transaction.revocationDate != nil else { return "ended\(since): Apple sent a REVOKE for it, without a revocation date" }
    return "ended\(since): Apple refunded it (revocation reason \(transaction.revocationReason?.text ?? "not given"))"
  case .familyAccessEnded: return "ended\(since): the customer left the family, or the purchaser stopped sharing"
  case .sharedPurchaseRefunded:
    guard explanation.record.revokedFrom == nil || explanation.record.revokedFrom != explanation.since else {
      return "ended\(since): Apple revoked it from the customer, with the refund of the purchase that was shared"
    }
    let purchases = explanation.linkedPurchases.map(\.text).joined(separator: ", ")
    return "ended\(since): the purchase behind it (\(purchases)) was refunded, and no other one stands behind it"
  case .upgraded:
    return transaction.isUpgraded
      ? "doesn't grant: it was upgraded to another product, whose transaction grants instead"
      : "ended\(since): it was revoked for an upgrade to a bundle"
  case .consumable: return "doesn't grant: a consumable is spent when it is delivered"
  case .unknownCustomer, .neverOwned, .manualGrant, .grantEnded: return "doesn't grant"
  case nil: return neverGrants(transaction, type: explanation.type)
  }
}

private func neverGrants(_ transaction: Transaction, type: ProductType?) -> String {
  if case .other(let text) = transaction.ownership { return "never grants: this version doesn't know the ownership \"\(text)\"" }
  switch type {
  case .other(let text): return "never grants: this version doesn't know the product type \"\(text)\""
  case nil: return "never grants: it names no type, and the catalog doesn't list its product"
  default: return "never grants: a \(type?.text ?? "product") can't be shared with a family"
  }
}
