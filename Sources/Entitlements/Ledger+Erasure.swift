/// What remains of an erased customer: that somebody was erased, when and by whom, and counts.
package struct Tombstone: Hashable, Sendable {
  package var erasedAt: Moment
  package var by: String
  /// Transactions of which nothing remains.
  package var removed = 0
  /// Transactions that refund reports go on counting, without ids and with no date finer than a day.
  package var anonymous = 0
  /// Transactions that others hold too, or that others' access rests on: they lost the customer, and stay.
  package var kept = 0

  package init(erasedAt: Moment, by: String) {
    self.erasedAt = erasedAt
    self.by = by
  }
}

extension Ledger {
  /// Forgets a customer.
  ///
  /// - What others hold too stays theirs, and loses the customer.
  /// - A purchase that stands behind somebody else's shared transaction stays without a holder and without what names an account,
  ///   so that a refund of it goes on cutting those people, and nothing else does.
  /// - Of what was revoked, or whose refund was reversed, an anonymous record stays, so that what refunds cost is still counted.
  /// - All else is removed, manual grants too, with the renewal infos of lineages of which nothing is left.
  ///
  /// No id is remembered: what arrives later for an erased transaction is recorded as if it were the first of it, unclaimed unless it
  /// names a customer. To recognise it would need the very ids that were to be forgotten, and a refund that arrives later must still
  /// cut whoever the purchase was shared with.
  /// - Throws: `Refusal` where the customer holds nothing; nothing has changed then.
  package mutating func erase(_ erasure: Erasure) throws(Refusal) -> Recorded {
    let customer = erasure.customer
    let numbers = try held(by: customer, named: "customer_id")
    var touched = Touched()
    touched.customers.insert(customer)
    for number in numbers { touched.lineages.insert(records.packed(number).lineage) }
    let alone = Set(numbers.filter { records.holders(of: $0).count == 1 })
    let needed = Set(touched.lineages.numbers.filter { standsBehindOthers($0, than: alone) })

    var tombstone = Tombstone(erasedAt: erasure.order.at, by: erasure.order.by)
    for number in numbers.sorted() {
      let isNeeded = records.ownership(of: number) == .purchased && needed.contains(records.packed(number).lineage)
      if !alone.contains(number) || isNeeded {
        strip(customer, from: number)
        tombstone.kept += 1
      } else if remove(number, besides: alone) {
        tombstone.anonymous += 1
      } else {
        tombstone.removed += 1
      }
    }
    grants[customer] = nil
    tombstones.append(tombstone)
    return Recorded(
      outcome: .applied, customer: customer, affected: affected(by: touched), counts: .erased(tombstone))
  }

  /// Puts back what remains of an erased customer, as a snapshot does.
  package mutating func restore(_ tombstone: Tombstone) { tombstones.append(tombstone) }

  /// The transactions of a customer who holds some, or manual grants.
  package func held(by customer: CustomerID, named field: String) throws(Refusal) -> [RecordNumber] {
    let numbers = holdings(of: customer)
    guard !numbers.isEmpty || grants[customer] != nil else {
      throw .notFound(field: field, problem: "nothing is recorded for customer \(customer.text.debugDescription)")
    }
    return numbers
  }

  /// Whether some shared transaction that isn't erased may rest on a lineage's purchases.
  private func standsBehindOthers(_ lineage: LineageNumber, than erased: Set<RecordNumber>) -> Bool {
    let shared = records.records(of: lineage).filter { records.ownership(of: $0) == .familyShared }
    let linked = records.linkedRecords(of: lineage).flatMap { membersHeldTogether(with: $0) }
    return (shared + linked).contains { !erased.contains($0) }
  }

  /// Takes a customer off a record that stays, and what names an account unless it may be another holder's.
  private mutating func strip(_ customer: CustomerID, from number: RecordNumber) {
    var record = records[number]
    record.holders.removeAll { $0 == customer }
    let isOrphan = record.holders.isEmpty
    if isOrphan { record.transaction.appTransactionID = nil }
    if isOrphan || record.transaction.appAccountToken == customer.text { record.transaction.appAccountToken = nil }
    records.replace(number, with: record)
  }

  /// Takes a record out of every index, and leaves at most an anonymous one in its place. Returns whether that counts for anything.
  private mutating func remove(_ number: RecordNumber, besides erased: Set<RecordNumber>) -> Bool {
    let record = records[number]
    let heir = membersHeldTogether(with: number).first { !erased.contains($0) }
    let anonymous = record.anonymous
    records.replace(number, with: anonymous)
    // A link holds for all that is held together with the transaction it was given with.
    if let heir { add(record.links, to: heir) }
    for lineage in record.links.map({ ScopedID(record.environment, $0) }) + [record.lineage]
    where transactions(of: lineage).isEmpty { forgetRenewalInfo(of: lineage) }
    return !anonymous.isBlank
  }

  private mutating func add(_ links: [Identifier], to number: RecordNumber) {
    var record = records[number]
    let missing = links.filter { !record.links.contains($0) }
    if missing.isEmpty { return }
    record.links += missing
    records.replace(number, with: record)
  }
}

// MARK: - Moving

extension Ledger {
  /// Gives all that one customer holds to another, who may hold things already. The transfer policy has no say in it.
  ///
  /// - Throws: `Refusal` where the one holds nothing, the other may not hold Sandbox transactions, or both together have too many manual
  ///   grants; nothing has changed then.
  package mutating func move(_ move: CustomerMove) throws(Refusal) -> Recorded {
    let numbers = try held(by: move.from, named: "from_customer_id")
    let isForeign = numbers.contains { records.environment(of: $0) != settings.environment }
    guard !isForeign || settings.listsSandboxCustomer(move.to) else {
      throw .precondition(
        field: "to_customer_id",
        problem:
          "\(move.from.text.debugDescription) holds Sandbox transactions, and \(move.to.text.debugDescription) isn't listed as "
          + "a sandbox customer")
    }
    let given = (grants[move.to] ?? []) + (grants[move.from] ?? [])
    guard given.count <= Ledger.grantLimit else {
      throw .precondition(
        field: "to_customer_id",
        problem: "both together have \(given.count) manual grants, and more than \(Ledger.grantLimit) aren't taken")
    }
    grants[move.from] = nil
    grants[move.to] = given.isEmpty ? nil : given
    var touched = Touched()
    touched.customers.insert(move.from)
    touched.customers.insert(move.to)
    for number in numbers {
      touched.lineages.insert(records.packed(number).lineage)
      let others = records.holderIDs(of: number).filter { $0 != move.to }
      records.setHolders(others.map { $0 == move.from ? move.to : $0 }, of: number)
    }
    return Recorded(outcome: .applied, customer: move.to, affected: affected(by: touched), counts: .moved(numbers.count))
  }
}
