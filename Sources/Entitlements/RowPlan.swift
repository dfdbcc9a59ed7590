/// What recording one row would do, worked out without changing anything.
struct RowPlan: Sendable {
  /// The record of the transaction, if there is one.
  var number: RecordNumber?
  /// The row's, else the server's.
  var environment: Environment
  /// The row's version, its environment filled in.
  var version: Transaction
  /// How the row's version compares to the newest one known; `newer` where none is.
  var order: VersionOrder
  /// The newest version once the row is recorded.
  var newest: Transaction
  /// What else is held together with it.
  var others: [RecordNumber]
  var attribution: Attribution
  /// A REVOKE mark that counts and isn't known.
  var mark: RevokeMark?
  /// Links that the record doesn't have yet.
  var links: [Identifier] = []
  /// Those of them that the whole set doesn't have yet.
  var newLinks: [Identifier] = []
  /// Whether some holder of the set, or of what the account has unclaimed, would change.
  var holdersChange = false
  /// Whether a version with a revocation is news, be it stale.
  var evidenceIsNews = false

  /// Whether recording it changes anything at all, an answer or not.
  var changesLedger: Bool {
    order == .newer || mark != nil || !links.isEmpty || holdersChange || evidenceIsNews
  }

  /// Whether the caller is told of something new.
  var isNews: Bool { order == .newer || mark != nil || !newLinks.isEmpty || holdersChange }
}

extension Ledger {
  /// Works out what a row would do.
  func plan(_ row: Recording.Row, of recording: Recording) -> RowPlan {
    var version = row.transaction
    let environment = version.environment ?? settings.environment
    version.environment = environment
    let number = number(of: ScopedID(environment, version.transactionID))
    let known = number.map { records[$0] }
    let order = known.map { version.order(over: $0.transaction) } ?? .newer
    let newest = order == .newer ? version : known?.transaction ?? version
    let others = othersHeldTogether(with: newest, number: number)
    let attribution = attribute(newest, number: number, others: others, named: recording.customer)

    var plan = RowPlan(
      number: number, environment: environment, version: version, order: order, newest: newest, others: others,
      attribution: attribution)
    plan.mark = row.revokeMark.flatMap { date in
      newMark(RevokeMark(date: date, besideVersion: version), on: known, newest: newest)
    }
    plan.evidenceIsNews = version.revocationDate != nil && version.signedDate < known?.earliestRevokedVersion ?? .distantFuture
    if attribution.claim != .refused {
      for link in recording.sharedFrom where known?.links.contains(link) != true && !plan.links.contains(link) {
        plan.links.append(link)
      }
      plan.newLinks = plan.links.filter { link in
        let lineage = records.number(ofLineage: ScopedID(environment, link))
        return lineage.map { lineage in !others.contains { records.isLinked($0, to: lineage) } } ?? true
      }
    }
    plan.holdersChange = changesHolders(plan)
    return plan
  }

  private func newMark(_ mark: RevokeMark, on known: Record?, newest: Transaction) -> RevokeMark? {
    guard mark.counts(beside: newest), known?.marks.contains(where: { $0.covers(mark) }) != true else { return nil }
    return mark
  }

  private func changesHolders(_ plan: RowPlan) -> Bool {
    let members = (plan.number.map { [$0] } ?? []) + plan.others
    let hasUnclaimed = plan.number == nil || members.contains { !records.hasHolder($0) }
    switch plan.attribution.claim {
    case .none: return false
    case .refused: return hasUnclaimed
    case .move, .join: return true
    case .fill: return hasUnclaimed || !unclaimed(of: accountNumber(of: plan.newest)).isEmpty
    }
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

  /// Refuses links that would give one purchase too many members, all rows of a recording counted together.
  func checkLinkLimit(_ plans: [RowPlan]) throws(Refusal) {
    var newSets: [ScopedID: Set<HeldTogether>] = [:]
    for plan in plans where !plan.newLinks.isEmpty {
      let set = heldTogether(as: plan.newest, number: plan.number)
      for link in plan.newLinks { newSets[ScopedID(plan.environment, link), default: []].insert(set) }
    }
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
