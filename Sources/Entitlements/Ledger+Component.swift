extension Ledger {
  /// All that could matter to a recording: the part of the ledger that hangs together with it by lineages, holders, accounts and
  /// links, as a ledger of its own. What the recording would do can be tried on it.
  package func component(around recordings: [Recording], of customer: CustomerID) -> Ledger {
    var search = ComponentSearch(ledger: self)
    search.add(customer)
    for recording in recordings {
      for row in recording.rows {
        let environment = row.transaction.environment ?? settings.environment
        search.add(lineage: ScopedID(environment, row.transaction.originalTransactionID))
        if let number = number(of: ScopedID(environment, row.transaction.transactionID)) { search.add(number) }
        if let account = row.transaction.appTransactionID { search.add(account: ScopedID(environment, account)) }
        for link in recording.sharedFrom { search.add(lineage: ScopedID(environment, link)) }
      }
      for renewal in recording.renewalInfos {
        search.add(lineage: ScopedID(renewal.info.environment ?? settings.environment, renewal.info.originalTransactionID))
      }
    }
    search.complete()

    var part = Ledger(settings: settings, catalog: catalog)
    for number in search.records.sorted() { part.restore(records[number]) }
    for lineage in search.lineages {
      if let info = renewalInfo(of: lineage) { part.restore(info) }
    }
    for customer in search.customers { part.grants[customer] = grants[customer] }
    return part
  }

  /// Everyone whose answers rest on a lineage: who holds something in it, or something that is linked to it.
  package func customers(concernedBy lineage: ScopedID) -> Set<CustomerID> {
    var holders = DistinctNumbers<CustomerNumber>()
    if let lineage = records.number(ofLineage: lineage) { addHolders(concernedBy: lineage, to: &holders) }
    return Set(holders.numbers.map { records.id(of: $0) })
  }
}

/// A walk through everything that hangs together.
private struct ComponentSearch {
  let ledger: Ledger
  var records: Set<RecordNumber> = []
  var lineages: Set<ScopedID> = []
  private(set) var customers: Set<CustomerID> = []
  private var accounts: Set<ScopedID> = []
  private var open: [RecordNumber] = []

  init(ledger: Ledger) { self.ledger = ledger }

  mutating func add(_ number: RecordNumber) {
    if records.insert(number).inserted { open.append(number) }
  }

  mutating func add(_ customer: CustomerID) {
    guard customers.insert(customer).inserted else { return }
    for number in ledger.holdings(of: customer) { add(number) }
  }

  mutating func add(lineage: ScopedID) {
    guard lineages.insert(lineage).inserted, let known = ledger.records.number(ofLineage: lineage) else { return }
    for number in ledger.records.records(of: known) + ledger.records.linkedRecords(of: known) { add(number) }
  }

  mutating func add(account: ScopedID) {
    guard accounts.insert(account).inserted,
      let known = ledger.records.number(ofAccount: account.id, in: account.environment)
    else { return }
    for number in ledger.records.records(of: known) { add(number) }
  }

  /// Follows every tie until nothing new is found.
  mutating func complete() {
    while let number = open.popLast() {
      let record = ledger.records[number]
      add(lineage: record.lineage)
      if let account = record.account { add(account: account) }
      for link in record.links { add(lineage: ScopedID(record.environment, link)) }
      for holder in record.holders { add(holder) }
    }
  }
}
