// Recordings that nobody waits for, as those of the journal at a start: nearly all say of a transaction for the first time that a
// customer holds it, and nothing else changes.

extension Ledger {
  /// Records the first version of a transaction where nothing follows from it but its record: that of a purchase in the server's own
  /// environment, not revoked, whose customer holds all of its lineage alone.
  ///
  /// What it leaves undone is for `record`, which would have the same effect here, too, but works out what it comes to.
  ///
  /// - Parameters:
  ///   - parts: those of the record, held by the customer whom the recording names, if it names one.
  ///   - traits: those of the record; of another environment than the server's where settings changed since they were met.
  /// - Returns: whether it is recorded; if not, the ledger is unchanged.
  /// - Precondition: the recording was validated, and is for the server's app.
  package mutating func recordPlainly(_ parts: consuming RecordParts, _ traits: KnownTraits) -> Bool {
    guard records.areKnown(traits), parts.revocationDate == nil,
      records.traits[traits.number].isPurchase(in: settings.environment)
    else { return false }
    let hash = parts.transactionID.hashValue
    guard records.number(of: parts.transactionID, hash, in: settings.environment) == nil,
      let ids = plainIDs(of: &parts, traits)
    else { return false }
    records.append(parts, traits, ids, hash)
    return true
  }

  /// The traits of the one record that came behind so many, with which others may come; nil where none did, or several.
  package func traitsOfOneBehind(_ count: Int) -> KnownTraits? {
    records.count == count + 1 ? records.knownTraits(of: count) : nil
  }

  /// Makes the ids known that a record names; nil where a customer would come to hold something else by it, or isn't known without
  /// further rules.
  private mutating func plainIDs(of parts: inout RecordParts, _ traits: KnownTraits) -> RecordStore.IDNumbers? {
    guard let id = parts.originalTransactionID else { return nil }
    let lineage = records.lineages.seek(id, in: traits.environment, records.texts)
    let account = parts.appTransactionID.map { records.accounts.seek($0, in: traits.environment, records.texts) }
    if let known = account?.number, leavesUnclaimed(known) { return nil }
    let before: CustomerNumber
    if let known = lineage.number {
      guard let holder = holderAlone(of: known, beside: traits) else { return nil }
      before = holder
    } else {
      before = .none
    }
    var ids = RecordStore.IDNumbers()
    if let customer = parts.holder {
      let holder = records.customers.seek(customer, records.texts)
      guard before.isNone || before == holder.number else { return nil }
      ids.holder = records.customers.number(of: customer, holder, &records.texts, adding: KnownCustomer())
    } else {
      if before.isNone { return nil }
      parts.give(to: records.id(of: before))
      ids.holder = before
    }
    ids.lineage = records.lineages.number(of: id, lineage, in: traits.environment, &records.texts, adding: KnownLineage())
    if let id = parts.appTransactionID, let account {
      ids.account = records.accounts.number(of: id, account, in: traits.environment, &records.texts, adding: KnownAccount())
    }
    return ids
  }

  /// The customer who holds all of a lineage alone, none where it has no transactions; nil where there are others, or something that
  /// isn't a purchase.
  private func holderAlone(of lineage: LineageNumber, beside traits: KnownTraits) -> CustomerNumber? {
    var only = CustomerNumber.none
    for number in records.walk(lineage) {
      let record = records.packed(number)
      if record.holder.isNone || !only.isNone && record.holder != only { return nil }
      if let place = record.details, !records.details[place].otherHolders.isEmpty { return nil }
      if record.traits != traits.number, records.traits[record.traits].ownership != .purchased { return nil }
      only = record.holder
    }
    return only
  }

  /// Whether nobody holds something of an account.
  private func leavesUnclaimed(_ account: AccountNumber) -> Bool {
    !records.walk(account).allSatisfy { records.hasHolder($0) }
  }
}

extension RecordTraits {
  fileprivate func isPurchase(in environment: Environment) -> Bool {
    ownership == .purchased && self.environment == environment
  }
}
