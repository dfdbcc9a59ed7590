/// What one transaction gives, as a function of time: the rules of the fold for a single transaction.
package struct TransactionAccess: Hashable, Sendable {
  package var transactionID: Identifier
  /// Whether it is `FAMILY_SHARED`.
  package var isShared: Bool
  package var kind: Kind

  package enum Kind: Hashable, Sendable {
    /// A type or ownership that is unknown, or a shared product that can't be shared: it could never have granted.
    case nothing
    case consumable
    case upgraded
    case timed(Times)
  }

  /// The moments that decide for a transaction of a type that grants.
  package struct Times: Hashable, Sendable {
    /// From when it grants, clock skew included; `distantFuture` without a purchase date.
    package var start: Moment
    /// When the paid period ends, grace left aside.
    package var expires: Moment
    /// When it is over: `distantFuture` if never, `distantPast` if it has no expiry that it should have.
    package var end: Moment
    /// The reason once it is over.
    package var endReason: Reason
    package var revocation: Ending?
    /// Only of a shared transaction whose purchase was refunded.
    package var sharedRefund: SharedRefund?
  }

  /// A moment at which access ended, and why.
  package struct Ending: Hashable, Sendable {
    package var moment: Moment
    package var reason: Reason
  }

  /// The refund of the purchase behind a shared transaction.
  package struct SharedRefund: Hashable, Sendable {
    /// The earliest revocation date of a linked purchase.
    package var moment: Moment
    /// When, from that moment on, no linked purchase stands behind it: in order, apart from each other.
    package var unbacked: [Range<Moment>]

    /// Whether nothing stands behind it at this moment.
    func denies(at moment: Moment) -> Bool { unbacked.contains { $0.contains(moment) } }
  }
}

// MARK: - The rule at one moment

extension TransactionAccess {
  /// How the transaction stands at a moment: it grants, or the first of what denies it gives the reason.
  ///
  /// Nil for a transaction that could never have granted.
  package func standing(at moment: Moment) -> Standing? {
    switch kind {
    case .nothing: return nil
    case .consumable: return Standing(reason: .consumable)
    case .upgraded: return Standing(reason: .upgraded)
    case .timed(let times):
      if moment < times.start { return Standing(reason: .notYetValid) }
      if let ending = times.ending(at: moment) { return Standing(reason: ending.reason, ended: ending.moment) }
      let reason: Reason = moment >= times.expires ? .gracePeriod : isShared ? .familyShared : .purchased
      return Standing(reason: reason, validUntil: times.nextEnding(after: moment))
    }
  }

  /// The moments at which its standing may change, in order; some may come twice.
  var boundaries: [Moment] { AccessGround.transaction(self).boundaries }

  /// Gives the moments at which its standing may change, in no order; some may come twice.
  func forEachBoundary(_ body: (Moment) -> Void) {
    guard case .timed(let times) = kind else { return }
    func give(_ moment: Moment) {
      if moment != .distantPast && moment != .distantFuture { body(moment) }
    }
    give(times.start)
    give(times.expires)
    if times.end != times.expires { give(times.end) }
    if let revocation = times.revocation { give(revocation.moment) }
    for range in times.sharedRefund?.unbacked ?? [] {
      give(range.lowerBound)
      give(range.upperBound)
    }
  }
}

extension TransactionAccess.Times {
  /// What denies at a moment; of several what came first, in the same millisecond its own revocation, then the purchaser's
  /// refund, then its end.
  fileprivate func ending(at moment: Moment) -> TransactionAccess.Ending? {
    var first: TransactionAccess.Ending?
    func consider(_ candidate: TransactionAccess.Ending) {
      if first.map({ candidate.moment < $0.moment }) ?? true { first = candidate }
    }
    if let revocation, revocation.moment <= moment { consider(revocation) }
    if let sharedRefund, sharedRefund.denies(at: moment) {
      consider(.init(moment: sharedRefund.moment, reason: .sharedPurchaseRefunded))
    }
    if end <= moment { consider(.init(moment: end, reason: endReason)) }
    return first
  }

  /// When what grants at a moment will be denied.
  fileprivate func nextEnding(after moment: Moment) -> Moment {
    let unbacked = sharedRefund?.unbacked.first { $0.lowerBound > moment }?.lowerBound
    return min(end, revocation?.moment ?? .distantFuture, unbacked ?? .distantFuture)
  }
}
