/// What became of a recording.
package enum Outcome: String, Sendable, CaseIterable {
  case applied = "APPLIED"
  case duplicate = "DUPLICATE"
  case stale = "STALE"
  case unclaimed = "UNCLAIMED"
  case heldByAnother = "HELD_BY_ANOTHER"
  case ignored = "IGNORED"

  /// The strongest first: that of a version 1 notification is the strongest of its rows'.
  fileprivate static let byStrength: [Outcome] = [.applied, .unclaimed, .heldByAnother, .stale, .duplicate, .ignored]
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

  package enum Counts: Hashable, Sendable {
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
    let plans = try plans(for: recording)
    var touched = Touched()
    var newLineages: Set<ScopedID> = []
    var results: [(outcome: Outcome, customer: CustomerID?)] = []
    for renewal in recording.renewalInfos {
      let (lineage, order) = merge(renewal.info, of: recording, touched: &touched)
      if order == .newer { newLineages.insert(lineage) }
      if !recording.rows.contains(where: { isBeside($0, lineage, in: recording) }) {
        results.append(result(ofRenewalInfoOf: lineage, order: order))
      }
    }
    var isNews = !newLineages.isEmpty
    var warnings: [String] = []
    for (index, row) in recording.rows.enumerated() {
      // What an earlier row of the same recording did may change what the next one does.
      let plan = index == 0 ? plans[0] : plan(row, of: recording)
      let number = commit(plan, of: recording, touched: &touched)
      let isRowNews = plan.isNews || newLineages.contains { isBeside(row, $0, in: recording) }
      isNews = isNews || isRowNews
      results.append((outcome(of: plan, number: number, isNews: isRowNews), records.firstHolder(of: number)))
      warnings += self.warnings(about: number)
    }
    let strongest = Outcome.byStrength.lazy.compactMap { outcome in results.first { $0.outcome == outcome } }.first
    return Recorded(
      outcome: strongest?.outcome ?? .ignored, customer: strongest?.customer, isNews: isNews, affected: affected(by: touched),
      warnings: warnings, revoked: touched.revoked)
  }

  /// Whether a recording would change anything, an answer or not. Where it wouldn't, the ledger already proves it.
  ///
  /// - Throws: `Refusal` where `record` would throw it.
  package func changes(by recording: Recording) throws(Refusal) -> Bool {
    let plans = try plans(for: recording)
    return plans.contains { $0.changesLedger }
      || recording.renewalInfos.contains { renewal in
        let info = filled(renewal.info, of: recording)
        return renewalInfo(of: lineage(of: info)).map { info.order(over: $0) == .newer } ?? true
      }
  }

  /// Works out each row as if it came alone.
  ///
  /// - Throws: `Refusal` where something is for another app or environment, or would link one purchase too often. All that is
  ///   ever refused is refused here, before anything changes.
  private func plans(for recording: Recording) throws(Refusal) -> [RowPlan] {
    let plans = recording.rows.map { plan($0, of: recording) }
    for (row, plan) in zip(recording.rows, plans) {
      try checkApp(row.bundleID, field: "transaction.bundle_id")
      try checkEnvironment(plan.environment, for: plan.attribution, field: "transaction.environment")
    }
    for renewal in recording.renewalInfos { try check(renewal, of: recording) }
    try checkLinkLimit(plans)
    return plans
  }

  private func outcome(of plan: RowPlan, number: RecordNumber, isNews: Bool) -> Outcome {
    if plan.attribution.claim == .refused { return .heldByAnother }
    if !isNews { return plan.order == .same ? .duplicate : .stale }
    return records.hasHolder(number) ? .applied : .unclaimed
  }

  /// Whether a renewal info of a lineage counts with a row: one of its own lineage's rows, or the only one there is.
  private func isBeside(_ row: Recording.Row, _ lineage: ScopedID, in recording: Recording) -> Bool {
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

extension Ledger {
  private mutating func commit(_ plan: RowPlan, of recording: Recording, touched: inout Touched) -> RecordNumber {
    var record: Record
    if let known = plan.number {
      touched.lineages.insert(records.packed(known).lineage)
      record = records[known]
      if plan.order == .newer {
        (record.transaction, record.recordedAt, record.source) = (plan.newest, recording.receivedAt, recording.source)
      }
      record.noteRevocation(of: plan.version)
    } else {
      record = Record(transaction: plan.version, source: recording.source, recordedAt: recording.receivedAt)
      if case .fill(let customers) = plan.attribution.claim { record.holders = customers }
    }
    if let mark = plan.mark { record.marks.append(mark) }
    let newest = record.transaction
    record.marks.removeAll { !$0.counts(beside: newest) }
    let isNewlyRevoked = record.noteRevocation(at: recording.receivedAt)
    record.links += plan.links
    let number = put(record, at: plan.number)
    if isNewlyRevoked || plan.number == nil && record.revokedFrom != nil { touched.revoked.append(number) }
    touched.lineages.insert(records.packed(number).lineage)
    settle(plan, number: number, touched: &touched)
    return number
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
  private mutating func settle(_ plan: RowPlan, number: RecordNumber, touched: inout Touched) {
    let members = [number] + plan.others
    switch plan.attribution.claim {
    case .none:
      return
    case .refused:
      // What Apple signed counts for the holders, a transaction that is new included.
      fill(members, with: plan.attribution.before, touched: &touched)
      return
    case .fill(let customers):
      fill(members, with: customers, touched: &touched)
    case .move(let customer):
      for member in members { hand(member, to: [customer], touched: &touched) }
    case .join(let customer):
      for member in members {
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

  /// Gives what nobody holds to these customers.
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
    for lineage in touched.lineages.numbers where records.isKnown(lineage) { addHolders(concernedBy: lineage, to: &holders) }
    var everyone = touched.customers
    for holder in holders.numbers { everyone.insert(records.id(of: holder)) }
    return everyone.numbers.count > 1 ? everyone.numbers.sorted() : everyone.numbers
  }

  /// Everyone whose answers rest on a lineage: who holds something in it, or something that is linked to it.
  func addHolders(concernedBy lineage: LineageNumber, to holders: inout DistinctNumbers<CustomerNumber>) {
    records.forEachRecord(of: lineage) { number in records.forEachHolder(of: number) { holders.insert($0) } }
    records.forEachLinkedRecord(of: lineage) { linked in
      for member in membersHeldTogether(with: linked) { records.forEachHolder(of: member) { holders.insert($0) } }
    }
  }
}

// MARK: - Renewal infos

extension Ledger {
  /// The renewal info with its environment: its own, else that of the transaction it came with, else the server's.
  private func filled(_ info: RenewalInfo, of recording: Recording) -> RenewalInfo {
    var info = info
    let companion = recording.rows.first { $0.transaction.originalTransactionID == info.originalTransactionID }
    info.environment = info.environment ?? companion?.transaction.environment ?? settings.environment
    return info
  }

  func lineage(of info: RenewalInfo) -> ScopedID {
    ScopedID(info.environment ?? settings.environment, info.originalTransactionID)
  }

  private func check(_ renewal: Recording.Renewal, of recording: Recording) throws(Refusal) {
    try checkApp(renewal.bundleID, field: "renewal_info.bundle_id")
    let lineage = lineage(of: filled(renewal.info, of: recording))
    let named = recording.customer.map { [$0] }
    let customers = named ?? holders(of: lineage)
    let companion = recording.rows.contains {
      isBeside($0, lineage, in: recording) && self.lineage(of: $0.transaction).environment == lineage.environment
    }
    // The transaction beside it was found to be in its place, and whose it is.
    guard !companion else { return }
    try checkEnvironment(
      lineage.environment, for: Attribution(before: [], customers: customers, claim: .none), field: "renewal_info.environment")
  }

  private func holders(of lineage: ScopedID) -> [CustomerID] {
    var holders = DistinctNumbers<CustomerNumber>()
    for number in transactions(of: lineage) { records.forEachHolder(of: number) { holders.insert($0) } }
    return holders.numbers.map { records.id(of: $0) }
  }

  private mutating func merge(_ info: RenewalInfo, of recording: Recording, touched: inout Touched) -> (ScopedID, VersionOrder) {
    let info = filled(info, of: recording)
    let lineage = lineage(of: info)
    let order = renewalInfo(of: lineage).map { info.order(over: $0) } ?? .newer
    if order == .newer {
      set(info, of: lineage)
      touch(lineage, in: &touched)
    }
    return (lineage, order)
  }

  private func result(ofRenewalInfoOf lineage: ScopedID, order: VersionOrder) -> (Outcome, CustomerID?) {
    let holder = holders(of: lineage).first
    switch order {
    case .newer: return (holder == nil ? .unclaimed : .applied, holder)
    case .same: return (.duplicate, holder)
    case .older: return (.stale, holder)
    }
  }
}
