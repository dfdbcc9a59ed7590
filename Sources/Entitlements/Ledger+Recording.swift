/// What became of a recording.
package enum Outcome: String, Sendable, CaseIterable {
  case applied = "APPLIED"
  case duplicate = "DUPLICATE"
  case stale = "STALE"
  case unclaimed = "UNCLAIMED"
  case heldByAnother = "HELD_BY_ANOTHER"
  case ignored = "IGNORED"

  /// The outcome of a version 1 notification is the strongest of its rows'.
  fileprivate var strength: Int {
    switch self {
    case .applied: 5
    case .unclaimed: 4
    case .heldByAnother: 3
    case .stale: 2
    case .duplicate: 1
    case .ignored: 0
    }
  }
}

/// What recording all of a recording would do.
private struct RecordingPlan: ~Copyable {
  /// The first row's, if there is one: nothing is done before it.
  var firstRow: RowPlan?
  /// Whether some row changes anything.
  var changesLedger = false
}

/// The effect of one recording on the ledger.
package struct Recorded: Hashable, Sendable {
  package var outcome: Outcome
  /// Whose it is: the first holder; nil if it is unclaimed or ignored.
  package var customer: CustomerID?
  /// Whether anything was new, be it that the claim was refused.
  package var isNews: Bool
  /// Everyone whose answers may differ from before, in order, each once.
  package var affected: [CustomerID] = []
  /// What whoever sent it should look at.
  package var warnings: [String] = []
  /// The transactions that are revoked now and weren't before.
  package var revoked: [RecordNumber] = []
  /// What an operator's order came to.
  package var counts: Counts?

  package indirect enum Counts: Hashable, Sendable {
    case erased(Tombstone)
    /// How many transactions were moved.
    case moved(Int)
  }

  package init(
    outcome: Outcome, customer: CustomerID? = nil, isNews: Bool = false, affected: [CustomerID] = [], warnings: [String] = [],
    revoked: [RecordNumber] = [], counts: Counts? = nil
  ) {
    self.counts = counts
    self.outcome = outcome
    self.customer = customer
    self.isNews = isNews
    self.affected = affected
    self.warnings = warnings
    self.revoked = revoked
  }
}

extension Ledger {
  /// Records what Apple signed: the newest version of each transaction counts, whatever order they come in.
  ///
  /// All of the recording is done, or none of it.
  ///
  /// - Precondition: the recording was validated.
  /// - Throws: `Refusal`; the ledger is then unchanged.
  package mutating func record(_ recording: Recording) throws(Refusal) -> Recorded {
    var plan = try plan(recording)
    var recorded = Recorded(outcome: .ignored)
    var touched = Touched()
    let newLineages = mergeRenewalInfos(of: recording, into: &recorded, touched: &touched)
    let rows = recording.rows.span
    for index in rows.indices {
      // What an earlier row of the same recording did may change what the next one does.
      let row = plan.firstRow.take() ?? self.plan(rows[index], of: recording)
      let number = commit(rows[index], row, of: recording, touched: &touched)
      let isNews = row.isNews || newLineages.contains { isBeside(rows[index], $0, in: recording) }
      recorded.isNews = recorded.isNews || isNews
      recorded.add(outcome(of: row, number: number, isNews: isNews), of: records.firstHolder(of: number))
      addWarnings(about: number, to: &recorded.warnings)
    }
    recorded.affected = affected(by: touched)
    recorded.revoked = touched.revoked
    return recorded
  }

  /// Whether a recording would change anything, an answer or not. Where it wouldn't, the ledger already proves it.
  ///
  /// - Throws: `Refusal` where `record` would throw it.
  package func changes(by recording: Recording) throws(Refusal) -> Bool {
    let plan = try plan(recording)
    return plan.changesLedger
      || recording.renewalInfos.contains { renewal in
        let info = filled(renewal.info, of: recording)
        return renewalInfo(of: lineage(of: info)).map { info.order(over: $0) == .newer } ?? true
      }
  }

  /// Works out each row as if it came alone.
  ///
  /// - Throws: `Refusal` where something is for another app or environment, or would link one purchase too often. All that is
  ///   ever refused is refused here, before anything changes.
  private func plan(_ recording: borrowing Recording) throws(Refusal) -> RecordingPlan {
    var plan = RecordingPlan()
    var newSets: [ScopedID: Set<HeldTogether>] = [:]
    let rows = recording.rows.span
    for index in rows.indices {
      let row = self.plan(rows[index], of: recording)
      try checkApp(rows[index].bundleID, field: "transaction.bundle_id")
      try checkEnvironment(row.environment, for: row.attribution, field: "transaction.environment")
      plan.changesLedger = plan.changesLedger || row.changesLedger
      for link in row.newLinks { newSets[link.purchase, default: []].insert(link.set) }
      if index == 0 { plan.firstRow = consume row }
    }
    for renewal in recording.renewalInfos { try check(renewal, of: recording) }
    try checkLinkLimit(newSets)
    return plan
  }

  private func outcome(of plan: borrowing RowPlan, number: RecordNumber, isNews: Bool) -> Outcome {
    if plan.attribution.claim == .refused { return .heldByAnother }
    if !isNews { return plan.order == .same ? .duplicate : .stale }
    return records.hasHolder(number) ? .applied : .unclaimed
  }

  /// Whether a renewal info of a lineage counts with a row: one of its own lineage's rows, or the only one there is.
  func isBeside(_ row: Recording.Row, _ lineage: ScopedID, in recording: Recording) -> Bool {
    recording.rows.count == 1 || self.lineage(of: row.transaction) == lineage
  }

  func lineage(of transaction: Transaction) -> ScopedID {
    ScopedID(transaction.environment ?? settings.environment, transaction.originalTransactionID)
  }
}

// MARK: - Committing a row

/// What a recording touched so far.
struct Touched {
  var lineages = DistinctNumbers<LineageNumber>()
  /// Holders before the change; those after it are read from the ledger.
  var customers = DistinctNumbers<CustomerID>()
  /// What is revoked now and wasn't before.
  var revoked: [RecordNumber] = []
}

extension Recorded {
  /// Adds what a row or a renewal info came to: the first of the strongest is what counts.
  mutating func add(_ outcome: Outcome, of customer: CustomerID?) {
    guard outcome.strength > self.outcome.strength else { return }
    (self.outcome, self.customer) = (outcome, customer)
  }
}

extension Ledger {
  private mutating func commit(
    _ row: borrowing Recording.Row, _ plan: borrowing RowPlan, of recording: borrowing Recording, touched: inout Touched
  ) -> RecordNumber {
    let number = addPlain(row, plan, of: recording) ?? commitRecord(row, plan, of: recording, touched: &touched)
    touched.lineages.insert(records.packed(number).lineage)
    settle(plan, number: number, touched: &touched)
    return number
  }

  /// Adds the record of a transaction that is new and of which there is nothing to say but its version and who holds it, as of most:
  /// without a `Record` in between. Nil where there is more.
  private mutating func addPlain(
    _ row: borrowing Recording.Row, _ plan: borrowing RowPlan, of recording: borrowing Recording
  ) -> RecordNumber? {
    guard plan.number == nil, plan.mark == nil, plan.links.isEmpty, row.transaction.revocationDate == nil else { return nil }
    var holder: CustomerID?
    if case .fill(let customers) = plan.attribution.claim {
      guard customers.count == 1 else { return nil }
      holder = customers[0]
    }
    return records.append(
      row.transaction, in: plan.environment, heldBy: holder, from: recording.source, recordedAt: recording.receivedAt)
  }

  private mutating func commitRecord(
    _ row: borrowing Recording.Row, _ plan: borrowing RowPlan, of recording: borrowing Recording, touched: inout Touched
  ) -> RecordNumber {
    var record = record(of: row, plan, of: recording)
    if let known = plan.number { touched.lineages.insert(records.packed(known).lineage) }
    if let mark = plan.mark { record.marks.append(mark) }
    let signedDate = record.transaction.signedDate
    record.marks.removeAll { !$0.counts(besideVersionOf: signedDate) }
    let isNewlyRevoked = record.noteRevocation(at: recording.receivedAt)
    record.links += plan.links
    let isRevokedFirst = isNewlyRevoked || plan.number == nil && record.revokedFrom != nil
    let number = put(record, at: plan.number)
    if isRevokedFirst { touched.revoked.append(number) }
    return number
  }

  /// The record of a row's transaction with the row's version, before what came with it.
  private func record(
    of row: borrowing Recording.Row, _ plan: borrowing RowPlan, of recording: borrowing Recording
  ) -> Record {
    guard let known = plan.number else {
      var record = Record(
        transaction: row.transaction.placed(in: plan.environment), source: recording.source, recordedAt: recording.receivedAt)
      if case .fill(let customers) = plan.attribution.claim { record.holders = customers }
      return record
    }
    var record = records[known]
    if plan.order == .newer {
      record.transaction = row.transaction.placed(in: plan.environment)
      (record.recordedAt, record.source) = (recording.receivedAt, recording.source)
    }
    record.noteRevocation(of: row.transaction)
    return record
  }

  private mutating func put(_ record: Record, at known: RecordNumber?) -> RecordNumber {
    guard let known else { return records.append(record) }
    records.replace(known, with: record)
    return known
  }

  func touch(_ lineage: ScopedID, in touched: inout Touched) {
    if let number = records.number(ofLineage: lineage) { touched.lineages.insert(number) }
  }

  /// Gives the set, and what the account has unclaimed, to whom the claim says.
  private mutating func settle(_ plan: borrowing RowPlan, number: RecordNumber, touched: inout Touched) {
    switch plan.attribution.claim {
    case .none:
      return
    case .refused:
      // What Apple signed counts for the holders, a transaction that is new included.
      fill(number, plan.others, with: plan.attribution.before, touched: &touched)
      return
    case .fill(let customers):
      fill(number, plan.others, with: customers, touched: &touched)
    case .move(let customer):
      for member in [number] + plan.others { hand(member, to: [customer], touched: &touched) }
    case .join(let customer):
      for member in [number] + plan.others {
        let holders = records.hasHolder(member) ? records.holderIDs(of: member) : plan.attribution.before
        hand(member, to: holders + [customer], touched: &touched)
      }
    }
    for orphan in unclaimed(of: records.packed(number).account) {
      let set = membersHeldTogether(with: orphan)
      let holders = set.first { records.hasHolder($0) }.map { records.holderIDs(of: $0) }
      fill(set, with: holders ?? plan.attribution.customers, touched: &touched)
    }
  }

  /// Gives what nobody holds of a record and others to these customers.
  private mutating func fill(
    _ number: RecordNumber, _ others: [RecordNumber], with customers: [CustomerID], touched: inout Touched
  ) {
    if !records.hasHolder(number) { hand(number, to: customers, touched: &touched) }
    fill(others, with: customers, touched: &touched)
  }

  private mutating func fill(_ members: [RecordNumber], with customers: [CustomerID], touched: inout Touched) {
    for member in members where !records.hasHolder(member) { hand(member, to: customers, touched: &touched) }
  }

  private mutating func hand(_ number: RecordNumber, to customers: [CustomerID], touched: inout Touched) {
    for holder in records.holderIDs(of: number) { touched.customers.insert(holder) }
    touched.lineages.insert(records.packed(number).lineage)
    var unique = DistinctNumbers<CustomerID>()
    for customer in customers { unique.insert(customer) }
    records.setHolders(unique.numbers, of: number)
  }

  /// Everyone who holds something in a lineage that was touched, or something that is linked to it.
  func affected(by touched: Touched) -> [CustomerID] {
    var holders = DistinctNumbers<CustomerNumber>()
    touched.lineages.forEach { lineage in
      if records.isKnown(lineage) { addHolders(concernedBy: lineage, to: &holders) }
    }
    var everyone = touched.customers
    holders.forEach { everyone.insert(records.id(of: $0)) }
    return everyone.count > 1 ? everyone.numbers.sorted() : everyone.numbers
  }

  /// Everyone whose answers rest on a lineage: who holds something in it, or something that is linked to it.
  func addHolders(concernedBy lineage: LineageNumber, to holders: inout DistinctNumbers<CustomerNumber>) {
    records.forEachRecord(of: lineage) { number in records.forEachHolder(of: number) { holders.insert($0) } }
    records.forEachLinkedRecord(of: lineage) { linked in
      for member in membersHeldTogether(with: linked) { records.forEachHolder(of: member) { holders.insert($0) } }
    }
  }
}
