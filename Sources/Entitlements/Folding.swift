/// Folds customers from their whole histories, one after the other, in room that it keeps from one to the next.
///
/// It may fold customers of any ledger: what it remembers beyond one customer is what editions of catalogs and traits say.
package struct Folding: Sendable {
  /// The answers of the customer who was folded last.
  package private(set) var access = CustomerAccess()

  private var lists = GrantedLists()
  private var terms = RememberedTerms()
  /// Of the customer at hand: the lineage of the last transaction, and those before it.
  private var lineage = LineageNumber.none
  private var lineageState = Ledger.LineageState()
  private var lineages = Remembered<LineageNumber, Ledger.LineageState>()
  private var records: [PackedRecord] = []
  private var groups: [Group] = []
  private var groupCount = 0
  /// What several groups are together.
  private var together = Standings()

  /// The grounds of one product, or an operator's grants of one entitlement: they give the same.
  private struct Group: Sendable {
    /// The number of the list of what it gives.
    var list: Int
    var standings = Standings()
  }

  /// How many records are read before the first of them is looked at.
  private static let recordsAtOnce = 32

  package init() {}

  /// Folds a customer; says whether they hold anything at all.
  package mutating func fold(_ customer: CustomerID, of ledger: Ledger) -> Bool {
    let given = ledger.grants.isEmpty ? [] : ledger.grants[customer] ?? []
    let holder = ledger.records.number(of: customer)
    if holder == nil, given.isEmpty { return false }
    fold(holder, given, of: ledger)
    return true
  }

  /// Folds the customer with a number; gives who that is, nil where nobody has it who holds something.
  package mutating func fold(customerNumbered number: Int, of ledger: Ledger) -> CustomerID? {
    let holder = CustomerNumber(rawValue: UInt32(number))
    guard ledger.records.isKnown(holder) else { return nil }
    let customer = ledger.records.id(of: holder)
    fold(holder, ledger.grants.isEmpty ? [] : ledger.grants[customer] ?? [], of: ledger)
    return customer
  }

  private mutating func fold(_ holder: CustomerNumber?, _ given: [ManualGrant], of ledger: Ledger) {
    let areListsVoid = lists.begin(with: ledger.catalog)
    terms.begin(with: ledger.records.traits.edition, areListsVoid: areListsVoid)
    (lineage, lineageState) = (.none, Ledger.LineageState())
    lineages.forget()
    groupCount = 0
    if let holder { addAll(ledger.records.walk(holder), of: ledger) }
    for grant in given {
      let group = group(ofList: lists.number(ofGrantOf: grant.entitlement))
      groups[group].standings.add(grant.access, ledger.records.texts)
    }
    access.removeAll()
    answer(ledger.records.texts)
  }
}

// MARK: - Grounds

extension Folding {
  /// Records of a customer stand far apart. Those that are read with nothing in between are waited for together, not one by one.
  private mutating func addAll(_ numbers: NumberLists.Walk, of ledger: Ledger) {
    if numbers.count == 1 { return add(numbers[0], ledger.records.packed(numbers[0]), of: ledger) }
    for start in stride(from: 0, to: numbers.count, by: Folding.recordsAtOnce) {
      let part = start..<min(start + Folding.recordsAtOnce, numbers.count)
      records.removeAll(keepingCapacity: true)
      for index in part { records.append(ledger.records.packed(numbers[index])) }
      for index in part { add(numbers[index], records[index - start], of: ledger) }
    }
  }

  private mutating func add(_ number: RecordNumber, _ record: PackedRecord, of ledger: Ledger) {
    let known = terms.terms(of: record, in: ledger, &lists)
    let terms = known.terms
    if terms.neverGrants { return }
    let group = group(ofList: known.list)
    if terms.isSpent { return groups[group].standings.add(always: Standing(reason: .consumable)) }
    if terms.isUpgraded { return groups[group].standings.add(always: Standing(reason: .upgraded)) }
    if terms.restsOnLineage, record.lineage != lineage { goOn(to: record.lineage, ledger) }
    let times = ledger.times(of: number, record, terms, in: lineageState)
    groups[group].standings.add(times, isShared: terms.isShared, record.transactionID, ledger.records.texts)
  }

  private mutating func group(ofList list: Int) -> Int {
    // Transactions of one product mostly follow each other.
    if groupCount > 0, groups[groupCount - 1].list == list { return groupCount - 1 }
    for index in 0..<groupCount where groups[index].list == list { return index }
    if groupCount < groups.count {
      groups[groupCount].list = list
      groups[groupCount].standings.removeAll()
    } else {
      groups.append(Group(list: list))
    }
    groupCount += 1
    return groupCount - 1
  }

  private mutating func goOn(to lineage: LineageNumber, _ ledger: Ledger) {
    self.lineage = lineage
    if let known = lineages.find(lineage) {
      lineageState = known
    } else {
      lineageState = ledger.state(of: lineage)
      lineages.keep(lineageState, of: lineage)
    }
  }
}

// MARK: - Answers

extension Folding {
  private mutating func answer(_ texts: TextStore) {
    for group in 0..<groupCount { groups[group].standings.finish(texts) }
    // Most customers have one product only, and so one timeline for all that it grants.
    if groupCount == 1 { return groups[0].standings.answer(in: &access, of: lists[groups[0].list]) }
    if groupCount == 0 { return }
    for share in lists.shares(of: groups[..<groupCount].map(\.list)) {
      together.removeAll()
      for group in share.givers { together.merge(groups[group].standings, texts) }
      together.answer(in: &access, of: share.list)
    }
  }
}
