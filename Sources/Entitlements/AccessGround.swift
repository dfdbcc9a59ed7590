/// What access rests on: a transaction, or an operator's grant.
package enum AccessGround: Hashable, Sendable {
  case transaction(TransactionAccess)
  case grant(GrantAccess)

  /// How it stands at a moment; nil for a transaction that could never have granted.
  package func standing(at moment: Moment) -> Standing? {
    switch self {
    case .transaction(let access): access.standing(at: moment)
    case .grant(let access): access.standing(at: moment)
    }
  }

  /// Gives the moments at which its standing may change, in no order; some may come twice.
  package func forEachBoundary(_ body: (Moment) -> Void) {
    switch self {
    case .transaction(let access): access.forEachBoundary(body)
    case .grant(let access): access.forEachBoundary(body)
    }
  }

  /// The first moment after another at which its standing may change; nil for none.
  func boundary(after moment: Moment) -> Moment? {
    var next: Moment?
    forEachBoundary { boundary in
      if boundary > moment, next.map({ boundary < $0 }) ?? true { next = boundary }
    }
    return next
  }

  /// The moments at which its standing may change, in order; some may come twice.
  package var boundaries: [Moment] {
    var moments: [Moment] = []
    forEachBoundary { moments.append($0) }
    return moments.sorted()
  }

  /// Whether the transaction is shared; nil of a grant.
  var isShared: Bool? {
    if case .transaction(let access) = self { access.isShared } else { nil }
  }

  /// Whether this one comes after the other where both last as long: a transaction is before a grant, a purchase before a share,
  /// and the greater transaction id before the lesser.
  func yields(to other: AccessGround) -> Bool {
    switch (self, other) {
    case (.transaction(let mine), .transaction(let theirs)):
      if mine.isShared != theirs.isShared { return mine.isShared }
      return mine.transactionID.isLesserTransactionID(than: theirs.transactionID)
    case (.grant, .transaction): return true
    case (_, .grant): return false
    }
  }
}

/// How a transaction or a grant stands at one moment.
package struct Standing: Hashable, Sendable, BitwiseCopyable {
  package var reason: Reason
  /// When its access ended; nil while it grants, and where no access ever ended.
  package var ended: Moment?
  /// Until when it grants, if nothing else happens. Only while it grants.
  package var validUntil: Moment?

  package var grants: Bool { reason.allows }
}
