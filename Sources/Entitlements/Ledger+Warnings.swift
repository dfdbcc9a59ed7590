extension Ledger {
  /// Six people at most share one purchase.
  package static let familySize = 6

  /// Adds what is odd about a transaction, in words for whoever recorded it. Nothing here denies anyone.
  func addWarnings(about number: RecordNumber, to warnings: inout [String]) {
    for oddity in oddities(of: number) {
      warnings.append("transaction \(records.transactionID(of: number)): \(oddity)")
    }
    if records.ownership(of: number) == .familyShared {
      for purchase in linkedLineageNumbers(of: number) { addWarning(aboutFamilyBehind: purchase, to: &warnings) }
    } else {
      addWarning(aboutFamilyBehind: records.packed(number).lineage, to: &warnings)
    }
  }

  private func oddities(of number: RecordNumber) -> [String] {
    var oddities: [String] = []
    let record = records.packed(number)
    let (product, type, ownership) = (records.productID(of: number), records.type(of: number), records.ownership(of: number))
    // Quoted so that whatever a word holds stays on one line.
    if case .other(let text) = type {
      oddities.append("the type \(text.debugDescription) is unknown, so it grants nothing")
    } else if let type, let listed = catalog.products[product]?.type, type != listed {
      oddities.append("its type is \(type.text), which counts, though the catalog calls product \(product) a \(listed.text)")
    }
    if case .other(let text) = ownership {
      oddities.append("the ownership \(text.debugDescription) is unknown, so it grants nothing")
    }
    switch effectiveType(type, of: product, expires: record.expiresDate) {
    case .autoRenewableSubscription where record.expiresDate == nil:
      oddities.append("missing expiry: an auto-renewable subscription without expiresDate grants nothing")
    case nil:
      oddities.append("missing type, which the catalog doesn't tell of product \(product) either, so it grants nothing")
    default: break
    }
    if record.purchaseDate == nil { oddities.append("missing purchase date, without which it grants nothing") }
    return oddities
  }

  /// Adds that a purchase serves more people than a family has.
  private func addWarning(aboutFamilyBehind purchase: LineageNumber, to warnings: inout [String]) {
    let people = peopleSharing(purchase)
    guard people > Ledger.familySize else { return }
    warnings.append(
      "purchase \(records.id(of: purchase).id) serves \(people) people; a family has at most \(Ledger.familySize)")
  }

  /// How many people one purchase serves: whoever holds the purchase, and each set of shared transactions that is linked to it.
  package func peopleSharing(_ purchase: ScopedID) -> Int {
    records.number(ofLineage: purchase).map { peopleSharing($0) } ?? 0
  }

  func peopleSharing(_ lineage: LineageNumber) -> Int {
    var people = PeopleCount()
    records.forEachRecord(of: lineage) { number in
      switch records.ownership(of: number) {
      case .purchased: people.addHolders(of: number, in: self)
      case .familyShared: people.addShare(number, in: self)
      case .other: break
      }
    }
    records.forEachLinkedRecord(of: lineage) { people.addShare($0, in: self) }
    return people.count
  }
}

/// People, each counted once, and shared transactions that nobody claimed yet, each set of which is somebody's.
private struct PeopleCount {
  private var people = DistinctNumbers<CustomerNumber>()
  private var unclaimedSets: Set<HeldTogether> = []

  var count: Int { people.count + unclaimedSets.count }

  mutating func addHolders(of number: RecordNumber, in ledger: borrowing Ledger) {
    ledger.records.forEachHolder(of: number) { people.insert($0) }
  }

  mutating func addShare(_ number: RecordNumber, in ledger: borrowing Ledger) {
    if !ledger.records.hasHolder(number) { unclaimedSets.insert(ledger.heldTogether(number)) }
    addHolders(of: number, in: ledger)
  }
}
