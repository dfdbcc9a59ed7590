/// Everything that was recorded, and who holds it: a pure value, changed only by applying an input to it.
///
/// The same inputs in the same order give the same ledger, so a journal of inputs is all that must be kept. What it answers is
/// not in here: `access(of:)` folds a customer's entitlements from their whole history, always anew.
package struct Ledger: Sendable {
  package internal(set) var settings: Settings
  package internal(set) var catalog: Catalog
  /// Every transaction, by its number. What remains of an erased one stands here and in no index.
  package internal(set) var records = RecordStore()
  /// The newest renewal state of each lineage that has one, by the number that the lineage knows; nil for one that was erased.
  package internal(set) var renewalInfos = NumberedValues<RenewalInfo?>()
  /// What operators gave each customer, in the order of recording; never empty of one.
  package internal(set) var grants: [CustomerID: [ManualGrant]] = [:]
  /// What remains of erased customers, in the order of their erasure.
  package internal(set) var tombstones: [Tombstone] = []

  package init(settings: Settings = Settings(), catalog: Catalog = Catalog()) {
    self.settings = settings
    self.catalog = catalog
  }

  /// The number of a transaction, if it was ever recorded.
  package func number(of key: ScopedID) -> RecordNumber? { records.number(of: key) }

  /// What a customer holds, in the order of their numbers.
  package func holdings(of customer: CustomerID) -> [RecordNumber] {
    records.number(of: customer).map { records.records(of: $0) } ?? []
  }

  /// How many transactions a customer holds.
  package func holdingCount(of customer: CustomerID) -> Int {
    records.number(of: customer).map { records.recordCount(of: $0) } ?? 0
  }

  /// The same of the customer with a number, who holds something.
  package func holdingCount(ofCustomerNumbered number: Int) -> Int {
    records.recordCount(of: CustomerNumber(rawValue: UInt32(number)))
  }

  package func holdsSomething(_ customer: CustomerID) -> Bool { records.number(of: customer) != nil }

  /// Customers who hold something have numbers below this one.
  package var customerNumberEnd: Int { records.customerNumbers.upperBound }

  /// Those of some numbers who hold something.
  package func customers(numbered numbers: Range<Int>) -> [CustomerID] { records.holders(numbered: numbers) }

  /// The transactions of a lineage, in the order of their numbers.
  package func transactions(of lineage: ScopedID) -> [RecordNumber] {
    records.number(ofLineage: lineage).map { records.records(of: $0) } ?? []
  }

  /// Everyone who holds a transaction or was given something, in no order.
  package var everyone: [CustomerID] { records.holders + givenAlone }

  /// Everyone who was given something and holds no transaction, in no order.
  package var givenAlone: [CustomerID] { grants.keys.filter { !holdsSomething($0) } }

  /// How many customers hold a transaction or were given something.
  package var customerCount: Int { records.customerCount + givenAlone.count }

  /// Replaces the catalog. Every customer's entitlements are then to be folded again.
  package mutating func replace(catalog: Catalog) { self.catalog = catalog }

  /// Replaces the settings. Every customer's entitlements are then to be folded again.
  package mutating func replace(settings: Settings) { self.settings = settings }

  /// Puts back a record that this or another ledger held, as a snapshot does.
  ///
  /// - Precondition: no record of the same transaction is there.
  package mutating func restore(_ record: Record) { _ = records.append(record) }

  /// Puts back the newest renewal info of a lineage, as a snapshot does.
  package mutating func restore(_ info: RenewalInfo) {
    set(info, of: ScopedID(info.environment ?? settings.environment, info.originalTransactionID))
  }
}

// MARK: - Renewal states

extension Ledger {
  /// The newest renewal state of a lineage, if any was recorded.
  package func renewalInfo(of lineage: ScopedID) -> RenewalInfo? {
    records.number(ofLineage: lineage).flatMap { renewalInfo(of: $0) }
  }

  func renewalInfo(of lineage: LineageNumber) -> RenewalInfo? {
    records.renewalInfoNumber(of: lineage).flatMap { renewalInfos[$0] }
  }

  /// For each of some records the newest renewal state of its lineage, if any was recorded; nil for all but the first of a lineage.
  package func renewalInfos(ofLineagesOf numbers: ArraySlice<RecordNumber>) -> [RenewalInfo?] {
    var lineages = DistinctNumbers<LineageNumber>()
    return numbers.map { number in
      let lineage = records.packed(number).lineage
      guard !lineage.isNone, lineages.insert(lineage) else { return nil }
      return renewalInfo(of: lineage)
    }
  }

  /// Replaces the renewal state of a lineage.
  mutating func set(_ info: RenewalInfo, of lineage: ScopedID) {
    if let number = records.renewalInfoNumber(of: lineage) {
      renewalInfos[number] = info
    } else {
      records.setRenewalInfoNumber(renewalInfos.append(info), of: lineage)
    }
  }

  /// Forgets the renewal state of a lineage.
  mutating func forgetRenewalInfo(of lineage: ScopedID) {
    guard let number = records.renewalInfoNumber(of: lineage) else { return }
    renewalInfos[number] = nil
    records.setRenewalInfoNumber(nil, of: lineage)
  }
}
