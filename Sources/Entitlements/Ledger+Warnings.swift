extension Ledger {
  /// Six people at most share one purchase.
  package static let familySize = 6

  /// What is odd about a transaction, in words for whoever recorded it. Nothing here denies anyone.
  func warnings(about number: RecordNumber) -> [String] {
    oddities(of: number).map { "transaction \(records.transactionID(of: number)): \($0)" } + largeFamilies(behind: number)
  }

  private func oddities(of number: RecordNumber) -> [String] {
    var oddities: [String] = []
    let (record, traits) = (records.packed(number), records.traits(of: number))
    let product = traits.productID
    // Quoted so that whatever a word holds stays on one line.
    if case .other(let text) = traits.type {
      oddities.append("the type \(text.debugDescription) is unknown, so it grants nothing")
    } else if let type = traits.type, let listed = catalog.products[product]?.type, type != listed {
      oddities.append("its type is \(type.text), which counts, though the catalog calls product \(product) a \(listed.text)")
    }
    if case .other(let text) = traits.ownership {
      oddities.append("the ownership \(text.debugDescription) is unknown, so it grants nothing")
    }
    switch effectiveType(traits.type, of: product, expires: record.expiresDate) {
    case .autoRenewableSubscription where record.expiresDate == nil:
      oddities.append("missing expiry: an auto-renewable subscription without expiresDate grants nothing")
    case nil:
      oddities.append("missing type, which the catalog doesn't tell of product \(product) either, so it grants nothing")
    default: break
    }
    if record.purchaseDate == nil { oddities.append("missing purchase date, without which it grants nothing") }
    return oddities
  }

  /// The purchases that serve more people than a family has.
  private func largeFamilies(behind number: RecordNumber) -> [String] {
    purchaseLineages(behind: number).compactMap { purchase in
      let people = peopleSharing(purchase)
      guard people > Ledger.familySize else { return nil }
      return "purchase \(records.id(of: purchase).id) serves \(people) people; a family has at most \(Ledger.familySize)"
    }
  }

  /// The lineages of the purchases that a transaction belongs to or was said to stand on.
  private func purchaseLineages(behind number: RecordNumber) -> [LineageNumber] {
    records.ownership(of: number) == .familyShared ? linkedLineageNumbers(of: number) : [records.packed(number).lineage]
  }

  /// How many people one purchase serves: whoever holds the purchase, and each set of shared transactions that is linked to it.
  package func peopleSharing(_ purchase: ScopedID) -> Int {
    records.number(ofLineage: purchase).map { peopleSharing($0) } ?? 0
  }

  func peopleSharing(_ lineage: LineageNumber) -> Int {
    var people = DistinctNumbers<CustomerNumber>()
    var unclaimedSets: Set<HeldTogether> = []
    func add(_ number: RecordNumber, isShare: Bool) {
      if isShare, !records.hasHolder(number) { unclaimedSets.insert(heldTogether(number)) }
      records.forEachHolder(of: number) { people.insert($0) }
    }
    records.forEachRecord(of: lineage) { number in
      switch records.ownership(of: number) {
      case .purchased: add(number, isShare: false)
      case .familyShared: add(number, isShare: true)
      case .other: break
      }
    }
    records.forEachLinkedRecord(of: lineage) { add($0, isShare: true) }
    return people.numbers.count + unclaimedSets.count
  }
}
