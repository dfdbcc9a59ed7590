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

  /// Whether the transaction is shared; nil of a grant.
  var isShared: Bool? {
    if case .transaction(let access) = self { access.isShared } else { nil }
  }

  /// The transaction's id; nil of a grant.
  var transactionID: Identifier? {
    if case .transaction(let access) = self { access.transactionID } else { nil }
  }

  /// Whether this one comes after the other where both last as long.
  func yields(to other: AccessGround) -> Bool {
    AccessGround.yields(isShared, to: other.isShared) {
      guard let mine = transactionID, let theirs = other.transactionID else { return false }
      return mine.isLesserTransactionID(than: theirs)
    }
  }

  /// Whether what is shared so, nil for a grant, comes after another one that lasts as long: a transaction is before a grant, a
  /// purchase before a share, and the greater transaction id before the lesser.
  static func yields(_ mine: Bool?, to theirs: Bool?, isLesser: () -> Bool) -> Bool {
    guard let theirs else { return false }
    guard let mine else { return true }
    return mine == theirs ? isLesser() : mine
  }
}

/// How a transaction or a grant stands at one moment.
package struct Standing: Hashable, Sendable, BitwiseCopyable {
  /// Until when it grants, or when its access ended; in the distant past where no access ever ended.
  private let moment: Moment
  package let reason: Reason
  private let rank: Rank

  /// The greater, the sooner it answers.
  private enum Rank: UInt8, BitwiseCopyable {
    case consumable, upgraded, notYetValid, ended, grants
  }

  /// Denies what never gave access.
  init(reason: Reason) {
    (moment, self.reason) = (.distantPast, reason)
    switch reason {
    case .notYetValid: rank = .notYetValid
    case .upgraded: rank = .upgraded
    default: rank = .consumable
    }
  }

  /// Denies what gave access until a moment.
  init(reason: Reason, ended: Moment) { (moment, self.reason, rank) = (ended, reason, .ended) }

  /// Grants.
  init(reason: Reason, validUntil: Moment) { (moment, self.reason, rank) = (validUntil, reason, .grants) }

  package var grants: Bool { rank == .grants }

  /// When its access ended; nil while it grants, and where no access ever ended.
  package var ended: Moment? { rank == .ended ? moment : nil }

  /// Until when it grants, if nothing else happens. Only while it grants.
  package var validUntil: Moment? { grants ? moment : nil }

  /// Whether this one answers after another one. A grant is before a denial. Among grants the longest-lasting one answers; among
  /// denials the one whose access ended last. What never gave access comes last: not yet valid, then upgraded, then consumable, of
  /// which all say the same.
  ///
  /// - Parameter yields: asked where both last as long, or ended in the same millisecond: whether what stands so comes after the other.
  @inline(__always)
  func isBehind(_ other: Standing, yields: () -> Bool) -> Bool {
    if rank != other.rank { return rank.rawValue < other.rank.rawValue }
    if rank.rawValue < Rank.ended.rawValue { return false }
    return moment == other.moment ? yields() : moment < other.moment
  }
}
