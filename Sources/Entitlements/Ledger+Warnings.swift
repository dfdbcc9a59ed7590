extension Ledger {
  /// Six people at most share one purchase.
  package static let familySize = 6

  /// What is odd about a transaction, in words for whoever recorded it. Nothing here denies anyone.
  func warnings(about number: RecordNumber) -> [String] {
    let record = records[number]
    let transaction = record.transaction
    let name = "transaction \(transaction.transactionID)"
    var warnings: [String] = []
    if case .other(let text) = transaction.type { warnings.append("\(name) has the unknown type \"\(text)\" and grants nothing") }
    if case .other(let text) = transaction.ownership {
      warnings.append("\(name) has the unknown ownership \"\(text)\" and grants nothing")
    }
    let listed = catalog.products[transaction.productID]?.type
    if let type = transaction.type, let listed, type != listed {
      warnings.append("\(name) is a \(type.text), the catalog calls product \(transaction.productID) a \(listed.text)")
    }
    switch effectiveType(of: transaction) {
    case .autoRenewableSubscription where transaction.expiresDate == nil:
      warnings.append("\(name) is an auto-renewable subscription without an expiresDate and grants nothing")
    case nil:
      warnings.append("\(name) has no type, and the catalog doesn't list product \(transaction.productID): it grants nothing")
    default: break
    }
    if transaction.purchaseDate == nil { warnings.append("\(name) has no purchaseDate and grants nothing") }
    for purchase in purchaseLineages(behind: number) {
      let people = peopleSharing(purchase)
      if people > Ledger.familySize {
        warnings.append("purchase \(purchase.id) serves \(people) people; a family has at most \(Ledger.familySize)")
      }
    }
    return warnings
  }

  /// The lineages of the purchases that a transaction belongs to or was said to stand on.
  private func purchaseLineages(behind number: RecordNumber) -> [ScopedID] {
    let record = records[number]
    guard record.transaction.ownership == .familyShared else { return [record.lineage] }
    return linkedLineages(of: number)
  }

  /// How many people one purchase serves: whoever holds the purchase, and each set of shared transactions that is linked to it.
  package func peopleSharing(_ purchase: ScopedID) -> Int {
    guard let lineage = lineages[purchase] else { return 0 }
    var people: Set<CustomerID> = []
    var unclaimedSets: Set<HeldTogether> = []
    let shared = lineage.records.filter { records[$0].transaction.ownership == .familyShared }
    for number in lineage.records where records[number].transaction.ownership == .purchased {
      people.formUnion(records[number].holders)
    }
    for number in shared + lineage.linkedRecords {
      if records[number].holders.isEmpty { unclaimedSets.insert(heldTogether(number)) }
      people.formUnion(records[number].holders)
    }
    return people.count + unclaimedSets.count
  }
}
