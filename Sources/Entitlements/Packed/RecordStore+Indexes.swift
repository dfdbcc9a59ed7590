// What hangs together with records: looked up by ids and by numbers, and kept as the records say.

extension RecordStore {
  /// The number of a transaction, if it was ever recorded.
  func number(of key: ScopedID) -> RecordNumber? { number(of: key.id, key.id.hashValue, in: key.environment) }

  /// The same by the hash of its id.
  func number(of id: Identifier, _ hash: Int, in environment: Environment) -> RecordNumber? {
    numbers.find(hash) { number in
      texts.isEqual(packed[number].transactionID, id) && self.environment(of: number) == environment
    }
  }

  func number(ofLineage id: ScopedID) -> LineageNumber? {
    guard let environment = environments.firstIndex(of: id.environment) else { return nil }
    return lineages.number(of: id.id, in: UInt32(environment), texts)
  }

  func number(ofAccount id: Identifier, in environment: Environment) -> AccountNumber? {
    guard let environment = environments.firstIndex(of: environment) else { return nil }
    return accounts.number(of: id, in: UInt32(environment), texts)
  }

  func number(of customer: CustomerID) -> CustomerNumber? { customers.number(of: customer, texts) }

  func id(of lineage: LineageNumber) -> ScopedID {
    ScopedID(environments[Int(lineages.environment(of: lineage))], lineages.id(of: lineage, texts))
  }

  func id(of customer: CustomerNumber) -> CustomerID { customers.id(of: customer, texts) }

  /// The transactions of a lineage, in the order of their numbers.
  func records(of lineage: LineageNumber) -> [RecordNumber] { lists[lineages[lineage].records] }

  /// Gives each transaction of a lineage, in the order of their numbers, without making a list of them.
  func forEachRecord(of lineage: LineageNumber, _ body: (RecordNumber) -> Void) {
    lists.forEach(of: lineages[lineage].records, body)
  }

  /// The same as a collection.
  func walk(_ lineage: LineageNumber) -> NumberLists.Walk { lists.walk(lineages[lineage].records) }

  /// The same with the records with which a caller named it as the purchase behind them.
  func forEachLinkedRecord(of lineage: LineageNumber, _ body: (RecordNumber) -> Void) {
    lists.forEach(of: lineages[lineage].linkedRecords, body)
  }

  /// The records with which a caller named a lineage as the purchase behind them, in the order of their numbers.
  func linkedRecords(of lineage: LineageNumber) -> [RecordNumber] { lists[lineages[lineage].linkedRecords] }

  /// The transactions of an account, in the order of their numbers; none where it isn't known.
  func records(of account: AccountNumber) -> [RecordNumber] {
    account == .none || account == .unknown ? [] : lists[accounts[account].records]
  }

  /// The same without making a list of them.
  func forEachRecord(of account: AccountNumber, _ body: (RecordNumber) -> Void) {
    if account != .none, account != .unknown { lists.forEach(of: accounts[account].records, body) }
  }

  /// The transactions of an account that is known, without making a list of them.
  func walk(_ account: AccountNumber) -> NumberLists.Walk { lists.walk(accounts[account].records) }

  /// Whether a record is the first of a lineage, or, where that has no transaction, the first that is linked to it.
  func isFirst(_ number: RecordNumber, of lineage: LineageNumber) -> Bool {
    let known = lineages[lineage]
    return lists.first(of: known.records.isEmpty ? known.linkedRecords : known.records) == number
  }

  /// What a customer holds, in the order of their numbers.
  func records(of customer: CustomerNumber) -> [RecordNumber] { lists[customers[customer].records] }

  func recordCount(of customer: CustomerNumber) -> Int { lists.count(of: customers[customer].records) }

  /// What a customer holds, in the same order, without making a list of it.
  func walk(_ customer: CustomerNumber) -> NumberLists.Walk { lists.walk(customers[customer].records) }

  /// Whether a lineage is still known, or another one by its number.
  func isKnown(_ lineage: LineageNumber) -> Bool { lineages.isKnown(lineage) }

  /// Whether a customer holds something still, or another one by their number.
  func isKnown(_ customer: CustomerNumber) -> Bool { customers.isKnown(customer) }

  /// How many customers hold something.
  var customerCount: Int { customers.count }

  func renewalInfoNumber(of lineage: LineageNumber) -> Int? { lineages[lineage].renewalInfoNumber }

  func renewalInfoNumber(of id: ScopedID) -> Int? { number(ofLineage: id).flatMap { renewalInfoNumber(of: $0) } }

  /// Makes a lineage known by its renewal state; nil forgets that.
  mutating func setRenewalInfoNumber(_ number: Int?, of id: ScopedID) {
    let environment = environmentNumber(of: id.environment)
    let lineage = lineages.number(of: id.id, in: environment, &texts, adding: KnownLineage())
    update(lineage) { _, lineage in lineage.renewalInfoNumber = number }
  }

  /// Whether no transaction, no renewal state and nobody is known.
  var knowsNothing: Bool { isEmpty && lineages.count == 0 }

  /// The numbers that customers have or had.
  var customerNumbers: Range<Int> { customers.numbers }

  /// Everyone who holds something, in no order.
  var holders: [CustomerID] { holders(numbered: customers.numbers) }

  /// Those of some numbers who hold something.
  func holders(numbered numbers: Range<Int>) -> [CustomerID] {
    numbers.lazy.map { CustomerNumber(rawValue: UInt32($0)) }.filter { customers.isKnown($0) }.map { id(of: $0) }
  }

  /// Every lineage of which something is known, in no order.
  var lineageIDs: [ScopedID] {
    lineages.numbers.map { LineageNumber(rawValue: UInt32($0)) }.filter { lineages.isKnown($0) }.map { id(of: $0) }
  }
}

// MARK: - Where a record belongs

extension RecordStore {
  /// What knows of a record.
  struct Places {
    var lineage = LineageNumber.none
    var account = AccountNumber.none
    var holders: [CustomerNumber] = []
    var links: [LineageNumber] = []
  }

  func places(of number: RecordNumber) -> Places {
    let packed = packed[number]
    return Places(lineage: packed.lineage, account: packed.account, holders: holders(of: number), links: links(of: number))
  }

  /// The transaction's id within its environment.
  func key(of number: RecordNumber) -> ScopedID {
    ScopedID(environment(of: number), transactionID(of: number))
  }

  /// Adds a record to all that it belongs to.
  ///
  /// - Precondition: it is in no index, nor is another record of its transaction.
  mutating func addToIndexes(_ number: RecordNumber) {
    addToNumbers(number)
    addToLists(number)
  }

  /// Adds a record to what hangs together by the ids that it names.
  mutating func addToLists(_ number: RecordNumber) {
    let record = packed[number]
    if !record.lineage.isNone { lists.add(number, to: &lineages[record.lineage].records) }
    if !record.account.isNone { lists.add(number, to: &accounts[record.account].records) }
    if !record.holder.isNone { give(number, to: record.holder) }
    if !record.link.isNone { lists.add(number, to: &lineages[record.link].linkedRecords) }
    guard let place = record.details else { return }
    for customer in details[place].otherHolders { give(number, to: customer) }
    for link in details[place].otherLinks { lists.add(number, to: &lineages[link].linkedRecords) }
  }

  mutating func addToNumbers(_ number: RecordNumber) {
    let id = transactionID(of: number)
    if id.isEmpty { return }
    let hash = id.hashValue
    let other = numbers.find(hash) { other in
      texts.isEqual(packed[other].transactionID, id) && environment(of: other) == environment(of: number)
    }
    precondition(other == nil, "a transaction has one record")
    numbers.insert(number, hash)
  }

  /// Moves a record. It is everywhere that it belongs before it leaves anything: of what nothing is left, the number is given up.
  mutating func move(_ number: RecordNumber, from before: Places, to after: Places) {
    if before.lineage != after.lineage, !after.lineage.isNone { lists.add(number, to: &lineages[after.lineage].records) }
    if before.account != after.account, !after.account.isNone { lists.add(number, to: &accounts[after.account].records) }
    for customer in after.holders where !before.holders.contains(customer) { give(number, to: customer) }
    for link in after.links where !before.links.contains(link) { lists.add(number, to: &lineages[link].linkedRecords) }

    for link in before.links where !after.links.contains(link) {
      update(link) { lists, lineage in lists.remove(number, from: &lineage.linkedRecords) }
    }
    for customer in before.holders where !after.holders.contains(customer) { take(number, from: customer) }
    if before.account != after.account, !before.account.isNone { leave(before.account, by: number) }
    if before.lineage != after.lineage, !before.lineage.isNone {
      update(before.lineage) { lists, lineage in lists.remove(number, from: &lineage.records) }
    }
  }

  mutating func give(_ number: RecordNumber, to customer: CustomerNumber) {
    lists.add(number, to: &customers[customer].records)
  }

  /// Takes a record from a customer, and a customer who holds nothing more out of the table.
  mutating func take(_ number: RecordNumber, from customer: CustomerNumber) {
    lists.remove(number, from: &customers[customer].records)
    if customers[customer].records.isEmpty { customers.remove(customer, &texts) }
  }

  /// Takes a record out of an account, and an account of which nothing is left out of the table.
  private mutating func leave(_ account: AccountNumber, by number: RecordNumber) {
    lists.remove(number, from: &accounts[account].records)
    if accounts[account].records.isEmpty { accounts.remove(account, &texts) }
  }

  /// Changes what is known of a lineage, and takes one of which nothing is known out of the table.
  private mutating func update(_ lineage: LineageNumber, _ change: (inout NumberLists, inout KnownLineage) -> Void) {
    change(&lists, &lineages[lineage])
    if lineages[lineage].isEmpty { lineages.remove(lineage, &texts) }
  }
}
