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
    case .nothing: nil
    case .consumable: Standing(reason: .consumable)
    case .upgraded: Standing(reason: .upgraded)
    case .timed(let times): times.standing(at: moment, isShared: isShared)
    }
  }

  /// The moments at which its standing may change, in order; some may come twice.
  var boundaries: [Moment] { AccessGround.transaction(self).boundaries }

  /// Gives the moments at which its standing may change, in no order; some may come twice.
  func forEachBoundary(_ body: (Moment) -> Void) {
    if case .timed(let times) = kind { times.forEachBoundary(body) }
  }
}

extension TransactionAccess.Times {
  /// How a transaction, shared or not, stands at a moment.
  @inline(__always)
  func standing(at moment: Moment, isShared: Bool) -> Standing {
    if moment < start { return Standing(reason: .notYetValid) }
    if let ending = ending(at: moment) { return Standing(reason: ending.reason, ended: ending.moment) }
    let reason: Reason = moment >= expires ? .gracePeriod : isShared ? .familyShared : .purchased
    return Standing(reason: reason, validUntil: nextEnding(after: moment))
  }

  /// What denies at a moment; of several what came first, in the same millisecond its own revocation, then the purchaser's
  /// refund, then its end.
  @inline(__always)
  private func ending(at moment: Moment) -> TransactionAccess.Ending? {
    var first: TransactionAccess.Ending?
    if let revocation, revocation.moment <= moment { first = revocation }
    if let sharedRefund, sharedRefund.denies(at: moment), first.map({ sharedRefund.moment < $0.moment }) ?? true {
      first = .init(moment: sharedRefund.moment, reason: .sharedPurchaseRefunded)
    }
    if end <= moment, first.map({ end < $0.moment }) ?? true { first = .init(moment: end, reason: endReason) }
    return first
  }

  /// When what grants at a moment will be denied.
  @inline(__always)
  private func nextEnding(after moment: Moment) -> Moment {
    var next = min(end, revocation?.moment ?? .distantFuture)
    if let unbacked = sharedRefund?.unbacked.first(where: { $0.lowerBound > moment }) { next = min(next, unbacked.lowerBound) }
    return next
  }

  /// Gives the moments at which the standing may change, in no order; some may come twice.
  @inline(__always)
  func forEachBoundary(_ body: (Moment) -> Void) {
    func give(_ moment: Moment) {
      if moment != .distantPast && moment != .distantFuture { body(moment) }
    }
    give(start)
    give(expires)
    if end != expires { give(end) }
    if let revocation { give(revocation.moment) }
    guard let sharedRefund else { return }
    for range in sharedRefund.unbacked {
      give(range.lowerBound)
      give(range.upperBound)
    }
  }
}
