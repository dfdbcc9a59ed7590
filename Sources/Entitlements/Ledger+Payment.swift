// Who lives on one payment: whoever holds the purchase, and everyone with whom it is shared as far as that is known.

extension Ledger {
  /// A person who was served on one payment.
  struct Served: Hashable {
    var customer: CustomerID
    /// The transaction through which they were: the purchase, or their copy of it.
    var number: RecordNumber
  }

  /// Who lost access in the moment of a refund: the holders of the purchase, and members of whose copy nothing else was behind.
  /// What didn't grant just before ends nobody's access; what someone else still grants isn't looked at.
  package func peopleCut(by refund: RecordNumber) -> Set<CustomerID> {
    guard let date = records.revocationDate(of: refund) else { return [] }
    return served(on: refund).reduce(into: []) { people, served in
      let access = access(by: served.number)
      guard access.standing(at: date.earlier(byMilliseconds: 1))?.grants == true, let standing = access.standing(at: date),
        standing.reason == .refunded || standing.reason == .sharedPurchaseRefunded
      else { return }
      people.insert(served.customer)
    }
  }

  /// Everyone who was served on a payment: its holders, and the holders of what is shared from it in the time it paid for.
  func served(on purchase: RecordNumber) -> [Served] {
    var numbers = [purchase]
    if records.ownership(of: purchase) == .purchased {
      numbers += copies(of: purchase).filter { isBehind(purchase, $0) }
    }
    return numbers.flatMap { number in records.holderIDs(of: number).map { Served(customer: $0, number: number) } }
  }

  /// The shared transactions that the lineage of a purchase is known to stand behind.
  private func copies(of purchase: RecordNumber) -> [RecordNumber] {
    let lineage = records.packed(purchase).lineage
    if lineage.isNone { return [] }
    let own = records.records(of: lineage).filter { records.ownership(of: $0) == .familyShared }
    let linked = records.linkedRecords(of: lineage).flatMap { membersHeldTogether(with: $0) }
    return Set(own + linked).sorted()
  }

  /// Whether a purchase stands behind a shared transaction: linked, granting something of the same, and at the same time.
  func isBehind(_ purchase: RecordNumber, _ shared: RecordNumber) -> Bool {
    guard linkedPurchases(of: shared).contains(purchase),
      let paid = period(of: purchase, in: state(of: records.packed(purchase).lineage)),
      let used = period(of: shared, in: state(of: records.packed(shared).lineage))
    else { return false }
    return paid.overlaps(used)
  }
}

extension TransactionAccess {
  /// Whether it grants at some moment from one to another.
  func grants(from first: Moment, through last: Moment) -> Bool {
    if standing(at: first)?.grants == true { return true }
    return boundaries.contains { $0 > first && $0 <= last && standing(at: $0)?.grants == true }
  }
}
