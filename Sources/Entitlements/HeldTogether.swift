/// The name of a set of transactions that are held together.
///
/// For purchases that is the lineage. For shared transactions it is the lineage too, unless several accounts of Apple's are
/// known under it: then each account's share, and each transaction that names no account alone.
package enum HeldTogether: Hashable, Sendable {
  case lineage(ScopedID, Ownership)
  case account(ScopedID, Identifier)
  case alone(ScopedID)
}

extension Ledger {
  /// The set that a record belongs to.
  package func heldTogether(_ number: RecordNumber) -> HeldTogether {
    heldTogether(as: records.transaction(of: number), number: number)
  }

  /// The set that a transaction would belong to with the given version as its newest.
  func heldTogether(as version: Transaction, number: RecordNumber?) -> HeldTogether {
    let lineage = lineage(of: version)
    let known = records.number(ofLineage: lineage)
    guard version.ownership == .familyShared, let known,
      hasSeveralAccounts(known, beside: accountNumber(of: version), besides: number)
    else { return .lineage(lineage, version.ownership) }
    guard let account = version.appTransactionID else { return .alone(ScopedID(lineage.environment, version.transactionID)) }
    return .account(lineage, account)
  }

  /// The records of a transaction's set, itself left out, with the given version as its newest.
  func othersHeldTogether(with version: Transaction, number: RecordNumber?) -> [RecordNumber] {
    guard let lineage = records.number(ofLineage: lineage(of: version)) else { return [] }
    return others(in: lineage, version.ownership, accountNumber(of: version), besides: number)
  }

  /// All records of a record's set, itself included.
  package func membersHeldTogether(with number: RecordNumber) -> [RecordNumber] {
    let record = records.packed(number)
    if record.lineage.isNone { return [number] }
    return others(in: record.lineage, records.ownership(of: number), record.account, besides: number) + [number]
  }

  private func others(
    in lineage: LineageNumber, _ ownership: Ownership, _ account: AccountNumber, besides number: RecordNumber?
  ) -> [RecordNumber] {
    let isDivided = ownership == .familyShared && hasSeveralAccounts(lineage, beside: account, besides: number)
    if isDivided, account.isNone { return [] }
    var others: [RecordNumber] = []
    records.forEachRecord(of: lineage) { other in
      guard other != number, records.ownership(of: other) == ownership else { return }
      if !isDivided || records.packed(other).account == account { others.append(other) }
    }
    return others
  }

  /// Whether the shared transactions of a lineage name more than one account, the given one included.
  private func hasSeveralAccounts(
    _ lineage: LineageNumber, beside account: AccountNumber, besides number: RecordNumber?
  ) -> Bool {
    var (first, areSeveral) = (account, false)
    records.forEachRecord(of: lineage) { other in
      let account = records.packed(other).account
      if other == number || account.isNone || records.ownership(of: other) != .familyShared { return }
      areSeveral = areSeveral || !first.isNone && first != account
      first = account
    }
    return areSeveral
  }

  /// The account that a version names: none, or one that isn't known yet, perhaps.
  func accountNumber(of version: Transaction) -> AccountNumber {
    guard let account = version.appTransactionID else { return .none }
    return records.number(ofAccount: account, in: version.environment ?? settings.environment) ?? .unknown
  }
}
