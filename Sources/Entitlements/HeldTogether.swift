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
    heldTogether(as: records[number].transaction, number: number)
  }

  /// The set that a transaction would belong to with the given version as its newest.
  func heldTogether(as version: Transaction, number: RecordNumber?) -> HeldTogether {
    let environment = version.environment ?? settings.environment
    let lineage = ScopedID(environment, version.originalTransactionID)
    guard version.ownership == .familyShared, hasSeveralAccounts(lineage, beside: version, number: number) else {
      return .lineage(lineage, version.ownership)
    }
    guard let account = version.appTransactionID else { return .alone(ScopedID(environment, version.transactionID)) }
    return .account(lineage, account)
  }

  /// The records of a transaction's set, itself left out, with the given version as its newest.
  func othersHeldTogether(with version: Transaction, number: RecordNumber?) -> [RecordNumber] {
    let environment = version.environment ?? settings.environment
    let lineage = ScopedID(environment, version.originalTransactionID)
    let candidates = (lineages[lineage]?.records ?? []).filter { other in
      other != number && records[other].transaction.ownership == version.ownership
    }
    switch heldTogether(as: version, number: number) {
    case .lineage: return candidates
    case .account(_, let account): return candidates.filter { records[$0].transaction.appTransactionID == account }
    case .alone: return []
    }
  }

  /// All records of a record's set, itself included.
  package func membersHeldTogether(with number: RecordNumber) -> [RecordNumber] {
    othersHeldTogether(with: records[number].transaction, number: number) + [number]
  }

  /// Whether the shared transactions of a lineage name more than one account, the given version included.
  private func hasSeveralAccounts(_ lineage: ScopedID, beside version: Transaction, number: RecordNumber?) -> Bool {
    var first = version.appTransactionID
    for other in lineages[lineage]?.records ?? [] where other != number {
      let transaction = records[other].transaction
      guard transaction.ownership == .familyShared, let account = transaction.appTransactionID else { continue }
      if let first, first != account { return true }
      first = account
    }
    return false
  }
}
