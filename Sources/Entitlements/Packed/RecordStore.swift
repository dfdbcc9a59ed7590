/// Everything that the ledger knows of transactions, packed: their records by number, and by number and by id what hangs together
/// with them.
///
/// The indexes follow from the records: whoever replaces a record moves it to where it belongs.
package struct RecordStore: Sendable {
  var packed = ChunkedArray<PackedRecord>()
  var details = PlacedValues<RecordDetails>()
  var traits = SharedValues<RecordTraits>()
  var texts = TextStore()
  /// By their numbers; there is one, or two with the sandbox.
  var environments: [Environment] = []

  /// The records by their ids.
  var numbers = NumberIndex()
  var lineages = IdentifierTable<KnownLineage>()
  var accounts = IdentifierTable<KnownAccount>()
  var customers = IdentifierTable<KnownCustomer>()
  var lists = NumberLists()

  /// Nil while no sweep is under way.
  private var sweep: Sweep<Record>?

  init() {}
}

/// The number of a record in the ledger. It never changes while the ledger lives.
package typealias RecordNumber = Int

typealias LineageNumber = TableNumber<KnownLineage>
typealias AccountNumber = TableNumber<KnownAccount>
typealias CustomerNumber = TableNumber<KnownCustomer>

/// The transactions of one environment that share an original transaction id, with what is known of them together.
struct KnownLineage: Sendable, BitwiseCopyable {
  var records = NumberLists.Handle.empty
  /// The records with which a caller named this lineage as the purchase behind them.
  var linkedRecords = NumberLists.Handle.empty
  /// One more than the number of its renewal state in the ledger; zero where it has none.
  private var renewalInfo: UInt32 = 0

  var renewalInfoNumber: Int? {
    get { renewalInfo == 0 ? nil : Int(renewalInfo) - 1 }
    set { renewalInfo = newValue.map { UInt32($0 + 1) } ?? 0 }
  }

  var isEmpty: Bool { records.isEmpty && linkedRecords.isEmpty && renewalInfo == 0 }
}

/// The transactions of an account of Apple's (`appTransactionId`).
struct KnownAccount: Sendable, BitwiseCopyable {
  var records = NumberLists.Handle.empty
}

/// What a customer holds: something.
struct KnownCustomer: Sendable, BitwiseCopyable {
  var records = NumberLists.Handle.empty
}

// MARK: - Records

extension RecordStore: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { packed.count }

  package subscript(number: RecordNumber) -> Record {
    let packed = packed[number]
    let details = details(of: number)
    return Record(
      transaction: transaction(of: packed, details), holders: holderIDs(of: number),
      links: links(of: number).map { id(of: $0).id },
      marks: details.marks, earliestRevokedVersion: details.earliestRevokedVersion,
      revocationRecordedAt: details.revocationRecordedAt, firstRecordedAt: firstRecordedAt(of: number),
      recordedAt: packed.recordedAt, source: traits[packed.traits].source)
  }

  /// The newest version of a transaction.
  func transaction(of number: RecordNumber) -> Transaction { transaction(of: packed[number], details(of: number)) }

  private func transaction(of packed: PackedRecord, _ details: RecordDetails) -> Transaction {
    let traits = traits[packed.traits]
    return Transaction(
      transactionID: texts.unpack(packed.transactionID),
      originalTransactionID: packed.lineage.isNone ? nil : lineages.id(of: packed.lineage, texts), productID: traits.productID,
      type: traits.type, ownership: traits.ownership, environment: traits.environment, purchaseDate: packed.purchaseDate,
      expiresDate: packed.expiresDate, signedDate: packed.signedDate, isUpgraded: traits.isUpgraded,
      revocationDate: details.revocationDate, revocationReason: traits.revocationReason, revocationType: traits.revocationType,
      revocationPercentage: traits.revocationPercentage, priceMilliunits: traits.priceMilliunits, currency: traits.currency,
      appTransactionID: packed.account.isNone ? nil : accounts.id(of: packed.account, texts),
      appAccountToken: packed.hasHolderAsToken ? id(of: packed.holder).text : details.appAccountToken)
  }

  /// Adds a record behind all others, and to what it belongs to.
  ///
  /// - Precondition: no record of the same transaction is there.
  mutating func append(_ record: Record) -> RecordNumber {
    packed.append(pack(record))
    addToIndexes(packed.count - 1)
    return packed.count - 1
  }

  /// Adds the record of a version that is the first of its transaction, and not revoked, behind all others.
  ///
  /// - Precondition: no record of the same transaction is there.
  mutating func append(
    _ version: borrowing Transaction, in environment: Environment, heldBy holder: CustomerID?, from source: Source,
    recordedAt: Moment
  ) -> RecordNumber {
    let parts = RecordParts(version, holder: holder, recordedAt: recordedAt)
    packed.append(pack(parts, RecordTraits(version, in: environment, from: source)))
    addToIndexes(packed.count - 1)
    return packed.count - 1
  }

  /// Adds a record behind all others that has the traits of another one, and names ids that are known.
  ///
  /// - Parameter hash: that of its id.
  /// - Precondition: no record of the same transaction is there.
  mutating func append(_ parts: borrowing RecordParts, _ traits: KnownTraits, _ ids: IDNumbers, _ hash: Int) {
    packed.append(pack(parts, traits, ids))
    numbers.insert(packed.count - 1, hash)
    addToLists(packed.count - 1)
  }

  /// Puts records into an order that aren't in any index yet.
  ///
  /// - Parameter order: the number under which the record of each number stands now; each number once.
  mutating func arrange(by order: [RecordNumber]) {
    let unordered = packed
    packed = ChunkedArray(order.lazy.map { unordered[$0] })
  }

  /// Adds every record to what it belongs to.
  ///
  /// - Precondition: none is in any index yet.
  mutating func addAllToIndexes() {
    numbers.reserve(count)
    for number in indices { addToIndexes(number) }
  }

  /// Replaces a record, and moves it where the new one belongs.
  mutating func replace(_ number: RecordNumber, with record: Record) {
    keepForSweep(number)
    let before = places(of: number)
    let (packedBefore, keyBefore) = (packed[number], key(of: number))
    packed[number] = pack(record)
    if key(of: number) != keyBefore {
      numbers.remove(number, keyBefore.id.hashValue)
      addToNumbers(number)
    }
    move(number, from: before, to: places(of: number))
    texts.free(packedBefore.transactionID)
    traits.leave(packedBefore.traits)
    if let place = packedBefore.details { details.giveUp(place, leaving: .none) }
  }

  /// Replaces who holds a record; nobody stands twice.
  mutating func setHolders(_ ids: [CustomerID], of number: RecordNumber) {
    keepForSweep(number)
    let before = holders(of: number)
    var details = details(of: number)
    if packed[number].hasHolderAsToken { details.appAccountToken = id(of: packed[number].holder).text }
    let after = ids.map { customers.number(of: $0, &texts, adding: KnownCustomer()) }
    let place = packed[number].details
    RecordStore.set(after, &details, of: &packed[number], ids.first)
    if place != nil || details != .none {
      packed[number].details = take(details)
      if let place { self.details.giveUp(place, leaving: .none) }
    }
    for customer in after where !before.contains(customer) { give(number, to: customer) }
    for customer in before where !after.contains(customer) { take(number, from: customer) }
  }

  /// Writes who holds a record, whose token stands in the details unless it is the first of them.
  private static func set(
    _ holders: [CustomerNumber], _ details: inout RecordDetails, of packed: inout PackedRecord, _ first: CustomerID?
  ) {
    packed.holder = holders.first ?? .none
    details.otherHolders = Array(holders.dropFirst())
    packed.hasHolderAsToken = details.appAccountToken != nil && details.appAccountToken.map { CustomerID($0) } == first
    if packed.hasHolderAsToken { details.appAccountToken = nil }
  }

  private mutating func keepForSweep(_ number: RecordNumber) {
    guard sweep?.wouldKeep(number) == true else { return }
    let record = self[number]
    sweep?.keep(number, record)
  }

  /// Keeps details, and gives their place; none where there are none.
  mutating func take(_ details: RecordDetails) -> Int? {
    details == .none ? nil : self.details.keep(details)
  }

  mutating func environmentNumber(of environment: Environment) -> UInt32 {
    if let number = environments.firstIndex(of: environment) { return UInt32(number) }
    environments.append(environment)
    return UInt32(environments.count - 1)
  }
}

extension RecordStore: Equatable {
  package static func == (one: RecordStore, other: RecordStore) -> Bool { one.elementsEqual(other) }
}

// MARK: - Sweeps

extension RecordStore {
  /// Begins a sweep through all records as they are now. One that is under way ends.
  mutating func beginSweep() { sweep = Sweep(of: packed.count) }

  /// Ends the sweep, wherever it is.
  mutating func endSweep() { sweep = nil }

  /// The next part of the sweep; nil when all were given, or none is under way.
  mutating func sweepOn(by limit: Int) -> [(number: RecordNumber, value: Record)]? {
    guard var sweep else { return nil }
    // The one in place is replaced below, so that the arrays of this one are changed where they are.
    self.sweep = nil
    defer { self.sweep = sweep }
    return sweep.goOn(by: limit) { self[$0] }
  }
}
