import Entitlements
import Journaling

/// The way that answers went, found again from the kept journal for a watcher from before what memory keeps.
///
/// It folds a ledger of its own, and looks at nothing that recordings and checks need: its memory is that of a second ledger with
/// the compiled answers, or of what hangs together with the customers that are watched. Belongs to one thread.
private struct ChangeReplay {
  private let history: KeptHistory
  private let names: EntitlementNames
  private var writer = AccessBlockWriter()
  /// Nil: everyone.
  private let customers: Set<CustomerID>?
  private var replayed: ReplayedState
  private var answers: [CustomerID: [UInt64]] = [:]
  private var calendar = BoundaryCalendar()
  private var hasBegun = false
  /// When the last input was published, of the highest that the journal told so far.
  private var time = Int64.min
  /// Everything up to here was given.
  private(set) var position: ChangePosition

  /// How many changes of one position are given at once.
  private static let changesInPart = 256
  /// How many customers are folded until it is asked whether anybody still waits.
  private static let customersBetweenChecks = 1_024

  init(_ history: KeptHistory, after position: ChangePosition, of customers: Set<CustomerID>?, related: RelatedIDs?) {
    (self.history, self.position, self.customers) = (history, position, customers)
    names = history.store.cache.names
    replayed = ReplayedState(of: related)
  }

  /// Reads all of the history, and gives what changed behind the position.
  mutating func run(_ give: (ChangeGroup) throws(StoreError) -> Void) throws(StoreError) {
    try history.read(
      entry: { replayed.restore($0) }, endOfSnapshot: { replayed.endRestoring() },
      input: { (revision, recordedAt, input) throws(StoreError) in
        try take(input, revision: revision, at: recordedAt.milliseconds, give)
      })
    position.revision = max(position.revision, history.last)
  }

  private mutating func take(
    _ input: Input, revision: UInt64, at recordedAt: Int64, _ give: (ChangeGroup) throws(StoreError) -> Void
  ) throws(StoreError) {
    time = max(time, recordedAt)
    if !hasBegun {
      if ChangePosition(revision: revision, time: time) <= position {
        replayed.apply(input)
        return
      }
      try begin()
    }
    try pass(until: time, give)
    position = ChangePosition(revision: revision, time: max(position.time, time))
    guard let recorded = replayed.apply(input) else { return }
    try fold(input.concernsEveryone ? everyone : recorded.affected.filter(isWatched), give)
  }

  // MARK: Folding

  private var everyone: [CustomerID] { customers?.sorted() ?? replayed.ledger.everyone }

  private func isWatched(_ customer: CustomerID) -> Bool { customers?.contains(customer) ?? true }

  /// Compiles everyone's answers as they were at the position.
  private mutating func begin() throws(StoreError) {
    hasBegun = true
    for (index, customer) in everyone.enumerated() {
      if index.isMultiple(of: ChangeReplay.customersBetweenChecks) { try history.check() }
      _ = fold(customer)
    }
  }

  /// Folds customers whom an input concerns, and gives what changed, in parts where that is much.
  private mutating func fold(_ customers: [CustomerID], _ give: (ChangeGroup) throws(StoreError) -> Void) throws(StoreError) {
    var group = ChangeGroup(position: position, isWhole: false)
    var hasParts = false
    for (index, customer) in customers.enumerated() {
      if index.isMultiple(of: ChangeReplay.customersBetweenChecks) { try history.check() }
      group.changes += fold(customer)
      guard group.changes.count >= ChangeReplay.changesInPart else { continue }
      try give(group)
      group.changes = []
      hasParts = true
    }
    group.isWhole = true
    if hasParts || !group.changes.isEmpty { try give(group) }
  }

  /// Folds a customer anew, and says what answers otherwise at the position.
  private mutating func fold(_ customer: CustomerID) -> [AnswerChange] {
    let words = writer.write(customer, of: replayed.ledger, names) ? writer.words : nil
    let before = answers[customer]
    if before == words { return [] }
    let after = AccessBlockWriter.kept(words)
    answers[customer] = after
    setMoment(of: customer, in: after)
    return names.changes(of: customer, from: before, at: position.time, to: after, at: position.time)
  }

  // MARK: Time

  /// Lets time pass, and gives what it changes.
  private mutating func pass(until time: Int64, _ give: (ChangeGroup) throws(StoreError) -> Void) throws(StoreError) {
    while let moment = calendar.nextMoment, moment <= time {
      position.time = moment
      var group = ChangeGroup(position: position)
      for customer in calendar.takeNext() {
        let words = answers[customer]
        group.changes += names.changes(of: customer, from: words, at: moment - 1, to: words, at: moment)
        setMoment(of: customer, in: words)
      }
      if !group.changes.isEmpty { try give(group) }
    }
  }

  private mutating func setMoment(of customer: CustomerID, in words: [UInt64]?) {
    let moment = position.time
    calendar.set(unsafe AccessBlock.with(words) { block in unsafe block?.boundary(after: moment) }, of: customer)
  }
}

extension EntitlementStore {
  /// Gives the changes that followed a position, from the kept journal, up to what is published when it begins.
  ///
  /// Reads the newest kept snapshot that isn't after the position and the journal behind it; where customers are named, also twice
  /// or more to find what hangs together with them. No recording and no check waits for it. What a rebuild corrected isn't in the
  /// journal, nor here.
  /// - Parameters:
  ///   - customers: whose changes; nil: everyone's.
  ///   - give: takes the changes in order, those of one position perhaps in parts. What it throws ends the replay.
  /// - Returns: the position up to which all was given, for `ChangeFeed.goOn`; nil where what follows isn't kept.
  /// - Throws: `.busy` where a snapshot removed what was being read: worth another try from the last position that was given whole;
  ///   `.givenUp`, `.closed`, `.journal`.
  package func replayChanges(
    after position: ChangePosition, of customers: Set<CustomerID>?, turns: Turns = Turns(),
    _ give: (ChangeGroup) throws(StoreError) -> Void
  ) throws(StoreError) -> ChangePosition? {
    let base = try journaling { () throws(JournalError) in try journal.latestKept(through: position.revision) }
    guard let base else { return nil }
    let history = KeptHistory(store: self, base: base, last: max(base, revision), turns: turns)
    // Where too much hangs together with them, everyone is folded.
    let related = if let customers { try history.related(to: customers) } else { RelatedIDs?.none }
    var replay = ChangeReplay(history, after: position, of: customers, related: related)
    try replay.run(give)
    return replay.position
  }

  /// The oldest position from which a watcher can go on.
  package func oldestKeptPosition() throws(StoreError) -> ChangePosition {
    let base = try journaling { () throws(JournalError) in try journal.earliestKept() }
    return base.map { ChangePosition(revision: $0, time: 0) } ?? publications.start
  }
}
