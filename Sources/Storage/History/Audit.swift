import Entitlements
import Journaling

/// What was known at a moment about a customer, what was answered by it, and what came later that answers otherwise.
package struct Audit: Sendable {
  package struct Answer: Hashable, Sendable {
    package var entitlement: Identifier
    /// For the moment, by what was known at it.
    package var then: Decision
    /// For the same moment, by what is known today.
    package var today: Decision
  }

  /// An input that came after the moment and changed an answer for it.
  package struct LaterInput: Sendable {
    package var revision: UInt64
    package var recordedAt: Moment
    package var input: Input
  }

  package var answers: [Answer] = []
  /// What the customer held, as it was known.
  package var known: [Record] = []
  package var later: [LaterInput] = []
  /// Of the last input that was known, and of the last one today.
  package var knownRevision: UInt64
  package var revision: UInt64
  package var wasKnown = false
  package var isKnown = false
}

extension EntitlementStore {
  /// Says what was known about a customer at a moment, from the kept journal, and why today's answers for that moment differ.
  ///
  /// Reads all that is kept three times or more: once for each tie between ids that is found after its turn, then to apply what hangs
  /// together with the customer, and nothing else, to a ledger of its own. Memory is that of what hangs together.
  /// - Parameter entitlement: nil: all that the customer's transactions could or can grant.
  /// - Throws: `.notKept` where the moment lies before what is kept, `.busy` while another audit is under way, `.refused` where
  ///   too much hangs together, `.givenUp`, `.closed`, `.journal`.
  package func audit(
    _ customer: CustomerID, entitlement: Identifier?, at moment: Moment, turns: Turns = Turns()
  ) throws(StoreError) -> Audit {
    try exclusively(.audit) { () throws(StoreError) in
      guard let base = try journaling({ () throws(JournalError) in try journal.earliestKept() }) else {
        throw .notKept(oldest: nil)
      }
      let history = KeptHistory(store: self, base: base, last: revision, turns: turns)
      guard let related = try history.related(to: [customer]) else {
        throw .refused(
          .precondition(field: "customer_id", problem: "more hangs together with this customer than an audit can follow"))
      }
      var replay = AuditReplay(customer: customer, entitlement: entitlement, moment: moment, base: base, related: related)
      try history.read(
        entry: { replay.restore($0) }, endOfSnapshot: { replay.endRestoring() },
        input: { revision, recordedAt, input in replay.apply(input, revision: revision, recordedAt: recordedAt) })
      guard base == 0 || replay.oldest.map({ $0 <= moment }) == true else { throw .notKept(oldest: replay.oldest) }
      return replay.finish(revision: history.last)
    }
  }

  /// Asks the journal for something.
  func journaling<Result>(_ body: () throws(JournalError) -> Result) throws(StoreError) -> Result {
    do throws(JournalError) { return try body() } catch { throw .journal(error) }
  }
}

/// Applies what hangs together with a customer, and notes how it stood at a moment of recording.
private struct AuditReplay {
  let customer: CustomerID
  let entitlement: Identifier?
  let moment: Moment
  private var replayed: ReplayedState
  /// As it was known at the moment; nil while that hasn't come.
  private var then: Ledger?
  private var audit: Audit
  /// When the first input after what the replay began from was recorded.
  private(set) var oldest: Moment?

  init(customer: CustomerID, entitlement: Identifier?, moment: Moment, base: UInt64, related: RelatedIDs) {
    (self.customer, self.entitlement, self.moment) = (customer, entitlement, moment)
    replayed = ReplayedState(of: related)
    audit = Audit(knownRevision: base, revision: base)
  }

  mutating func restore(_ entry: StoredEntry) { replayed.restore(entry) }

  /// Says that the snapshot was read.
  mutating func endRestoring() { replayed.endRestoring() }

  mutating func apply(_ input: Input, revision: UInt64, recordedAt: Moment) {
    oldest = oldest ?? recordedAt
    // What was recorded first after the moment ends what was known, whatever a clock that was set back says of the rest.
    if then == nil, recordedAt > moment { then = replayed.ledger }
    if then == nil { audit.knownRevision = revision }
    guard replayed.isConcerned(by: input) else { return }
    let before = then == nil ? [:] : decisions(of: replayed.ledger)
    replayed.apply(input)
    guard then != nil, decisions(of: replayed.ledger) != before else { return }
    audit.later.append(Audit.LaterInput(revision: revision, recordedAt: recordedAt, input: input))
  }

  /// The answers for the moment that are asked about.
  private func decisions(of ledger: Ledger) -> [Identifier: Decision] {
    guard let access = ledger.access(of: customer) else { return [:] }
    let names = entitlement.map { [$0] } ?? access.timelines.map(\.entitlement)
    return Dictionary(uniqueKeysWithValues: names.map { ($0, access.decision(for: $0, at: moment)) })
  }

  mutating func finish(revision: UInt64) -> Audit {
    let known = then ?? replayed.ledger
    audit.revision = revision
    audit.wasKnown = known.access(of: customer) != nil
    audit.isKnown = replayed.ledger.access(of: customer) != nil
    audit.known = known.holdings(of: customer).map { known.records[$0] }
    let (before, after) = (decisions(of: known), decisions(of: replayed.ledger))
    let names = entitlement.map { [$0] } ?? Set(before.keys).union(after.keys).sorted()
    audit.answers = names.map { name in
      Audit.Answer(
        entitlement: name, then: before[name] ?? .denied(audit.wasKnown ? .neverOwned : .unknownCustomer),
        today: after[name] ?? .denied(audit.isKnown ? .neverOwned : .unknownCustomer))
    }
    return audit
  }
}
