// What records are asked for most, without unpacking them.

extension RecordStore {
  /// What many records have in common with this one.
  func traits(of number: RecordNumber) -> RecordTraits { traits[packed[number].traits] }

  /// The record itself, but for its details.
  func packed(_ number: RecordNumber) -> PackedRecord { packed[number] }

  func details(of number: RecordNumber) -> RecordDetails { packed[number].details.map { details[$0] } ?? .none }

  /// Whether it may be revoked, or may once have been: nothing else is looked at where it isn't so.
  func mayBeRevoked(_ number: RecordNumber) -> Bool { packed[number].details != nil }

  /// The date from which it is revoked; as `Record.revokedFrom`.
  func revokedFrom(of number: RecordNumber) -> Moment? { revokedFrom(of: packed[number]) }

  func revokedFrom(of record: PackedRecord) -> Moment? {
    record.details.flatMap { details[$0].revokedFrom(beside: record.signedDate) }
  }

  func revocationDate(of number: RecordNumber) -> Moment? { revocationDate(of: packed[number]) }

  func revocationDate(of record: PackedRecord) -> Moment? { record.details.flatMap { details[$0].revocationDate } }

  func firstRecordedAt(of number: RecordNumber) -> Moment {
    let record = packed[number]
    return record.details.flatMap { details[$0].firstRecordedAt } ?? record.recordedAt
  }

  func isAnonymous(_ number: RecordNumber) -> Bool { packed[number].transactionID == .empty }

  func environment(of number: RecordNumber) -> Environment { traits[packed[number].traits].environment }

  func productID(of number: RecordNumber) -> Identifier { traits[packed[number].traits].productID }

  func isUpgraded(_ number: RecordNumber) -> Bool { traits[packed[number].traits].isUpgraded }

  func expiresDate(of number: RecordNumber) -> Moment? { packed[number].expiresDate }

  func type(of number: RecordNumber) -> ProductType? { traits[packed[number].traits].type }

  func revocationReason(of number: RecordNumber) -> RevocationReason? { traits[packed[number].traits].revocationReason }

  func ownership(of number: RecordNumber) -> Ownership { traits[packed[number].traits].ownership }

  func transactionID(of number: RecordNumber) -> Identifier { texts.unpack(packed[number].transactionID) }

  /// Gives each who holds it, first holder first.
  func forEachHolder(of number: RecordNumber, _ body: (CustomerNumber) -> Void) {
    let record = packed[number]
    if record.holder.isNone { return }
    body(record.holder)
    if let place = record.details { details[place].otherHolders.forEach(body) }
  }

  /// Who holds it, first holder first.
  func holders(of number: RecordNumber) -> [CustomerNumber] {
    let record = packed[number]
    if record.holder.isNone { return [] }
    return record.details.map { [record.holder] + details[$0].otherHolders } ?? [record.holder]
  }

  /// The ids of who holds it, first holder first.
  func holderIDs(of number: RecordNumber) -> [CustomerID] {
    var ids: [CustomerID] = []
    forEachHolder(of: number) { ids.append(id(of: $0)) }
    return ids
  }

  /// The lineages that callers named as the purchase behind it.
  func links(of number: RecordNumber) -> [LineageNumber] {
    let record = packed[number]
    if record.link.isNone { return [] }
    return record.details.map { [record.link] + details[$0].otherLinks } ?? [record.link]
  }

  /// Gives each lineage that a caller named as the purchase behind it.
  func forEachLink(of number: RecordNumber, _ body: (LineageNumber) -> Void) {
    let record = packed[number]
    if record.link.isNone { return }
    body(record.link)
    if let place = record.details { details[place].otherLinks.forEach(body) }
  }

  /// Whether a caller named a lineage as the purchase behind it.
  func isLinked(_ number: RecordNumber, to lineage: LineageNumber) -> Bool {
    let record = packed[number]
    return record.link == lineage || record.details.map { details[$0].otherLinks.contains(lineage) } ?? false
  }

  func hasHolder(_ number: RecordNumber) -> Bool { !packed[number].holder.isNone }

  func firstHolder(of number: RecordNumber) -> CustomerID? {
    let holder = packed[number].holder
    return holder.isNone ? nil : id(of: holder)
  }
}
