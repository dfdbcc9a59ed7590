/// An entitlement that an operator gave a customer, with who and why: it grants by its own dates alone.
package struct ManualGrant: Hashable, Sendable {
  package var entitlement: Identifier
  package var from: Moment
  /// Nil: never-ending.
  package var until: Moment?
  /// Who gave it.
  package var by: String
  /// Why.
  package var note: String
  package var recordedAt: Moment
  package var takenBack: TakingBack?

  package init(
    entitlement: Identifier, from: Moment, until: Moment?, by: String, note: String, recordedAt: Moment,
    takenBack: TakingBack? = nil
  ) {
    self.entitlement = entitlement
    self.from = from
    self.until = until
    self.by = by
    self.note = note
    self.recordedAt = recordedAt
    self.takenBack = takenBack
  }

  /// That an operator took it back, from when on, who and why.
  package struct TakingBack: Hashable, Sendable {
    package var at: Moment
    package var by: String
    package var note: String

    package init(at: Moment, by: String, note: String) {
      self.at = at
      self.by = by
      self.note = note
    }
  }

  /// When it ends; `distantFuture` if never. Before its start, it never grants.
  package var end: Moment { min(until ?? .distantFuture, takenBack?.at ?? .distantFuture) }

  /// What it gives, as a function of time.
  package var access: GrantAccess { GrantAccess(start: from, end: end) }

  /// Whether both were asked for in the same words, whenever they were recorded and whatever became of them.
  func isSame(as other: ManualGrant) -> Bool {
    entitlement == other.entitlement && from == other.from && until == other.until && by == other.by && note == other.note
  }
}

/// What one manual grant gives, as a function of time.
package struct GrantAccess: Hashable, Sendable {
  /// From when it grants: no device's clock is in play, so there is no clock skew.
  package var start: Moment
  /// When it is over: `distantFuture` if never.
  package var end: Moment

  /// How the grant stands at a moment. One that was taken back before its start has ended from then on: it won't begin any more.
  package func standing(at moment: Moment) -> Standing {
    if moment >= end { return Standing(reason: .grantEnded, ended: end) }
    if moment < start { return Standing(reason: .notYetValid) }
    return Standing(reason: .manualGrant, validUntil: end)
  }

  /// Gives the moments at which its standing may change.
  func forEachBoundary(_ body: (Moment) -> Void) {
    for moment in [start, end] where moment != .distantFuture { body(moment) }
  }
}
