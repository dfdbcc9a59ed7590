/// Everything that was recorded, and who holds it: a pure value, changed only by applying an input to it.
///
/// The same inputs in the same order give the same ledger, so a journal of inputs is all that must be kept. What it answers is
/// not in here: `access(of:)` folds a customer's entitlements from their whole history, always anew.
package struct Ledger: Sendable {
  package internal(set) var settings: Settings
  package internal(set) var catalog: Catalog
  /// Every transaction, by its number. What remains of an erased one stands here and in no index.
  package internal(set) var records = NumberedValues<Record>()
  package internal(set) var lineages: [ScopedID: Lineage] = [:]
  /// The newest renewal state of each lineage that has one, by the number that the lineage knows; nil for one that was erased.
  package internal(set) var renewalInfos = NumberedValues<RenewalInfo?>()
  /// What each customer holds.
  package internal(set) var holdings: [CustomerID: [RecordNumber]] = [:]
  /// What operators gave each customer, in the order of recording; never empty of one.
  package internal(set) var grants: [CustomerID: [ManualGrant]] = [:]
  /// What remains of erased customers, in the order of their erasure.
  package internal(set) var tombstones: [Tombstone] = []
  var numbers: [ScopedID: RecordNumber] = [:]
  /// The transactions of each account of Apple's (`appTransactionId`).
  var accounts: [ScopedID: [RecordNumber]] = [:]

  package init(settings: Settings = Settings(), catalog: Catalog = Catalog()) {
    self.settings = settings
    self.catalog = catalog
  }

  /// The number of a transaction, if it was ever recorded.
  package func number(of key: ScopedID) -> RecordNumber? { numbers[key] }

  /// Everyone who holds a transaction or was given something, in no order.
  package var everyone: [CustomerID] { Array(holdings.keys) + grants.keys.filter { holdings[$0] == nil } }

  /// Replaces the catalog. Every customer's entitlements are then to be folded again.
  package mutating func replace(catalog: Catalog) { self.catalog = catalog }

  /// Replaces the settings. Every customer's entitlements are then to be folded again.
  package mutating func replace(settings: Settings) { self.settings = settings }

  /// Puts back a record that this or another ledger held, as a snapshot does.
  ///
  /// - Precondition: no record of the same transaction is there.
  package mutating func restore(_ record: Record) { restoreIndexes(of: records.append(record)) }

  /// Puts back all records of a snapshot, in the order of their numbers.
  ///
  /// - Precondition: there are no records yet, and one of a transaction.
  package mutating func restore(_ records: [Record]) {
    precondition(self.records.isEmpty, "records are restored before any is recorded")
    self.records = NumberedValues(records)
    for number in records.indices { restoreIndexes(of: number) }
  }

  private mutating func restoreIndexes(of number: RecordNumber) {
    let record = records[number]
    if record.isAnonymous { return }
    addToIndexes(number)
    for link in record.links { addLink(link, to: number) }
    for customer in record.holders { holdings[customer, default: []].append(number) }
  }

  /// Puts back the newest renewal info of a lineage, as a snapshot does.
  package mutating func restore(_ info: RenewalInfo) {
    set(info, of: ScopedID(info.environment ?? settings.environment, info.originalTransactionID))
  }
}

// MARK: - Indexes

extension Ledger {
  /// Adds a record and its place in the lineage and the account.
  mutating func append(_ record: Record) -> RecordNumber {
    let number = records.append(record)
    addToIndexes(number)
    return number
  }

  private mutating func addToIndexes(_ number: RecordNumber) {
    let record = records[number]
    precondition(numbers.updateValue(number, forKey: record.key) == nil, "a transaction has one record")
    lineages[record.lineage, default: Lineage()].records.append(number)
    if let account = record.account { accounts[account, default: []].append(number) }
  }

  /// Replaces a record's newest version, and moves it where the version says it belongs.
  mutating func setVersion(_ transaction: Transaction, of number: RecordNumber) {
    let before = records[number]
    records[number].transaction = transaction
    let after = records[number]
    if before.lineage != after.lineage {
      lineages[before.lineage]?.records.removeAll { $0 == number }
      lineages[after.lineage, default: Lineage()].records.insertInOrder(number)
    }
    if before.account != after.account {
      if let account = before.account { leave(account, by: number) }
      if let account = after.account { accounts[account, default: []].insertInOrder(number) }
    }
  }

  /// Takes a record out of an account, and an account of which nothing is left out of the index.
  mutating func leave(_ account: ScopedID, by number: RecordNumber) {
    accounts[account]?.removeAll { $0 == number }
    if accounts[account]?.isEmpty == true { accounts[account] = nil }
  }

  /// Replaces the holders of a record.
  mutating func setHolders(_ holders: [CustomerID], of number: RecordNumber) {
    for customer in records[number].holders where !holders.contains(customer) {
      holdings[customer]?.removeAll { $0 == number }
      if holdings[customer]?.isEmpty == true { holdings[customer] = nil }
    }
    for customer in holders where !records[number].holders.contains(customer) {
      holdings[customer, default: []].append(number)
    }
    records[number].holders = holders
  }

  /// The newest renewal state of a lineage, if any was recorded.
  package func renewalInfo(of lineage: ScopedID) -> RenewalInfo? {
    guard let number = lineages[lineage]?.renewalInfoNumber else { return nil }
    return renewalInfos[number]
  }

  /// Replaces the renewal state of a lineage.
  mutating func set(_ info: RenewalInfo, of lineage: ScopedID) {
    if let number = lineages[lineage]?.renewalInfoNumber {
      renewalInfos[number] = info
    } else {
      lineages[lineage, default: Lineage()].renewalInfoNumber = renewalInfos.append(info)
    }
  }

  /// Makes a lineage known as linked from a record, in both directions.
  mutating func addLink(_ link: Identifier, to number: RecordNumber) {
    if !records[number].links.contains(link) { records[number].links.append(link) }
    lineages[ScopedID(records[number].environment, link), default: Lineage()].linkedRecords.append(number)
  }
}

extension [RecordNumber] {
  /// Keeps the numbers of an index ascending, as they are after a restart, whatever moved into it.
  fileprivate mutating func insertInOrder(_ number: RecordNumber) {
    insert(number, at: firstIndex { $0 > number } ?? endIndex)
  }
}
