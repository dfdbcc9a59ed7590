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

  /// The moments at which its standing may change, in order; some may come twice.
  package var boundaries: [Moment] {
    var moments: [Moment] = []
    forEachBoundary { moments.append($0) }
    return moments.sorted()
  }

  /// Of the transaction; nil of a grant.
  var ownership: Ownership? {
    if case .transaction(let access) = self { access.ownership } else { nil }
  }

  /// Whether this one comes after the other where both last as long: a transaction is before a grant, a purchase before a share,
  /// and the greater transaction id before the lesser.
  func yields(to other: AccessGround) -> Bool {
    switch (self, other) {
    case (.transaction(let mine), .transaction(let theirs)):
      if mine.ownership != theirs.ownership { return theirs.ownership == .purchased }
      return mine.transactionID.isLesserTransactionID(than: theirs.transactionID)
    case (.grant, .transaction): return true
    case (_, .grant): return false
    }
  }
}

/// How a transaction or a grant stands at one moment.
package struct Standing: Hashable, Sendable {
  package var reason: Reason
  /// When its access ended; nil while it grants, and where no access ever ended.
  package var ended: Moment?
  /// Until when it grants, if nothing else happens. Only while it grants.
  package var validUntil: Moment?

  package var grants: Bool { reason.allows }
}
