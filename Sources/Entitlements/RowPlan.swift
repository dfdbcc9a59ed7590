/// What recording one row would do, worked out without changing anything.
///
/// The row's version isn't in it: it is longer than all else together, and whoever has a plan has the row.
struct RowPlan: ~Copyable {
  /// The record of the transaction, if there is one.
  var number: RecordNumber?
  /// The row's, else the server's.
  var environment: Environment
  /// How the row's version compares to the newest one known; `newer` where none is.
  var order: VersionOrder
  /// What else is held together with it.
  var others: [RecordNumber]
  var attribution: Attribution
  /// A REVOKE mark that counts and isn't known.
  var mark: RevokeMark?
  /// Links that the record doesn't have yet.
  var links: [Identifier] = []
  /// Those of them that the whole set doesn't have yet.
  var newLinks: [NewLink] = []
  /// Whether some holder of the set, or of what the account has unclaimed, would change.
  var holdersChange = false
  /// Whether a version with a revocation is news, be it stale.
  var evidenceIsNews = false

  /// A set of transactions that is linked to a purchase for the first time.
  struct NewLink {
    var purchase: ScopedID
    var set: HeldTogether
  }

  /// Whether recording it changes anything at all, an answer or not.
  var changesLedger: Bool {
    order == .newer || mark != nil || !links.isEmpty || holdersChange || evidenceIsNews
  }

  /// Whether the caller is told of something new.
  var isNews: Bool { order == .newer || mark != nil || !newLinks.isEmpty || holdersChange }
}

extension Ledger {
  /// Works out what a row would do.
  func plan(_ row: borrowing Recording.Row, of recording: borrowing Recording) -> RowPlan {
    let environment = row.transaction.environment ?? settings.environment
    guard let number = number(of: ScopedID(environment, row.transaction.transactionID)) else {
      return plan(row, of: recording, in: environment, newest: row.transaction)
    }
    let known = records[number]
    let order = row.transaction.placed(in: environment).order(over: known.transaction)
    if order == .newer {
      return plan(row, of: recording, in: environment, number: number, beside: known, order, newest: row.transaction)
    }
    return plan(row, of: recording, in: environment, number: number, beside: known, order, newest: known.transaction)
  }

  /// - Parameter newest: the newest version once the row is recorded.
  private func plan(
    _ row: borrowing Recording.Row, of recording: borrowing Recording, in environment: Environment, number: RecordNumber? = nil,
    beside known: Record? = nil, _ order: VersionOrder = .newer, newest: borrowing Transaction
  ) -> RowPlan {
    let others = othersHeldTogether(with: newest, number: number)
    let attribution = attribute(newest, number: number, others: others, named: recording.customer)
    var plan = RowPlan(number: number, environment: environment, order: order, others: others, attribution: attribution)
    if let date = row.revokeMark {
      plan.mark = newMark(RevokeMark(date: date, besideVersion: row.transaction), on: known, newest: newest)
    }
    if row.transaction.revocationDate != nil {
      plan.evidenceIsNews = row.transaction.signedDate < known?.earliestRevokedVersion ?? .distantFuture
    }
    if !recording.sharedFrom.isEmpty, attribution.claim != .refused {
      addLinks(to: recording.sharedFrom, beside: known, newest: newest, to: &plan)
    }
    plan.holdersChange = changesHolders(plan, newest: newest)
    return plan
  }

  private func newMark(_ mark: RevokeMark, on known: Record?, newest: borrowing Transaction) -> RevokeMark? {
    guard mark.counts(beside: newest), known?.marks.contains(where: { $0.covers(mark) }) != true else { return nil }
    return mark
  }

  private func addLinks(
    to purchases: [Identifier], beside known: Record?, newest: borrowing Transaction, to plan: inout RowPlan
  ) {
    let links = known?.links ?? []
    for link in purchases where !links.contains(link) && !plan.links.contains(link) {
      plan.links.append(link)
      let purchase = ScopedID(plan.environment, link)
      if let lineage = records.number(ofLineage: purchase), plan.others.contains(where: { records.isLinked($0, to: lineage) }) {
        continue
      }
      plan.newLinks.append(RowPlan.NewLink(purchase: purchase, set: heldTogether(as: newest, number: plan.number)))
    }
  }

  private func changesHolders(_ plan: borrowing RowPlan, newest: borrowing Transaction) -> Bool {
    switch plan.attribution.claim {
    case .none: return false
    case .refused: return leavesUnclaimed(plan)
    case .move, .join: return true
    case .fill: return leavesUnclaimed(plan) || !unclaimed(of: accountNumber(of: newest)).isEmpty
    }
  }

  /// Whether nobody holds something of the set, once the row is recorded without its claim.
  private func leavesUnclaimed(_ plan: borrowing RowPlan) -> Bool {
    guard let number = plan.number else { return true }
    return !records.hasHolder(number) || plan.others.contains { !records.hasHolder($0) }
  }

  /// The records of an account that nobody holds.
  func unclaimed(of account: AccountNumber) -> [RecordNumber] {
    var unclaimed: [RecordNumber] = []
    records.forEachRecord(of: account) { number in
      if !records.hasHolder(number) { unclaimed.append(number) }
    }
    return unclaimed
  }
}

extension Transaction {
  /// The same version, with an environment where it names none.
  func placed(in environment: Environment) -> Transaction {
    var version = self
    version.environment = environment
    return version
  }
}

// MARK: - What is refused

extension Ledger {
  /// The most sets that `shared_from` may link to one purchase, so that no recording touches a crowd.
  package static let linkedSetLimit = 64

  /// Refuses what belongs to another app.
  func checkApp(_ bundleID: String?, field: String) throws(Refusal) {
    guard let expected = settings.bundleID, let bundleID, bundleID != expected else { return }
    throw .precondition(field: field, problem: "this server answers for \(expected), and this is of \(bundleID)")
  }

  /// Refuses what comes from another environment, except from the sandbox for a customer who is listed for it.
  func checkEnvironment(_ environment: Environment, for attribution: Attribution, field: String) throws(Refusal) {
    guard environment != settings.environment else { return }
    let concerned = attribution.customers + (attribution.claim == .refused ? attribution.before : [])
    let isListed = !concerned.isEmpty && concerned.allSatisfy(settings.listsSandboxCustomer)
    guard environment == .sandbox, isListed else {
      throw .precondition(
        field: field,
        problem: "this server answers for \(settings.environment.text), and this is from \(environment.text)"
          + (environment == .sandbox ? "; a tester's or reviewer's customer id can be listed as a sandbox customer" : ""))
    }
  }

  /// Refuses links that would give one purchase too many members.
  ///
  /// - Parameter newSets: for each purchase the sets that are newly linked to it, all rows of a recording counted together.
  func checkLinkLimit(_ newSets: [ScopedID: Set<HeldTogether>]) throws(Refusal) {
    for (purchase, sets) in newSets { try checkLinkLimit(purchase, with: sets) }
  }

  private func checkLinkLimit(_ purchase: ScopedID, with newSets: Set<HeldTogether>) throws(Refusal) {
    let linked = records.number(ofLineage: purchase).map { records.linkedRecords(of: $0) } ?? []
    let sets = newSets.union(linked.map(heldTogether))
    guard sets.count <= Ledger.linkedSetLimit else {
      throw .precondition(
        field: "shared_from",
        problem:
          "\(Ledger.linkedSetLimit) members at most can be linked to purchase \(purchase.id), and these would be \(sets.count); "
          + "a purchase is shared by six people at most")
    }
  }
}
