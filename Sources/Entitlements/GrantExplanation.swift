/// How one manual grant of a customer stands at a moment.
package struct GrantExplanation: Hashable, Sendable {
  package var grant: ManualGrant
  package var reason: Reason
  /// Since when it grants, or is over; nil: it hasn't begun.
  package var since: Moment?
  /// When that ends, if nothing else happens; nil: never.
  package var until: Moment?

  package var grants: Bool { reason.allows }
}

extension Ledger {
  /// Explains each manual grant of a customer at a moment, in the order of recording; only those of one entitlement, if one is
  /// named.
  package func explainGrants(
    of customer: CustomerID, entitlement: Identifier? = nil, at moment: Moment
  ) -> [GrantExplanation] {
    (grants[customer] ?? []).filter { entitlement == nil || $0.entitlement == entitlement }
      .map { GrantExplanation($0, at: moment) }
  }
}

extension GrantExplanation {
  fileprivate init(_ grant: ManualGrant, at moment: Moment) {
    let standing = grant.access.standing(at: moment)
    self.init(grant: grant, reason: standing.reason, since: standing.ended, until: nil)
    switch standing.reason {
    case .manualGrant: (since, until) = (grant.from, grant.end == .distantFuture ? nil : grant.end)
    case .notYetValid: until = grant.from
    default: break
    }
  }

  /// The same in words.
  package var sentence: String {
    switch reason {
    case .manualGrant:
      let end = until.map { "until \($0.iso8601)" } ?? "without an end"
      return "grants since \(grant.from.iso8601) by hand, \(end): \(grant.by) gave it (\(grant.note))"
    case .notYetValid where grant.end <= grant.from: return "never grants: \(ending), before its beginning"
    case .notYetValid: return "doesn't grant yet: it begins at \(grant.from.iso8601)"
    default: return "ended since \(grant.end.iso8601): \(ending)"
    }
  }

  /// Why it ends when it ends.
  private var ending: String {
    guard let takenBack = grant.takenBack else { return "it was given until then" }
    return "\(takenBack.by) took it back as of \(takenBack.at.iso8601) (\(takenBack.note))"
  }
}
