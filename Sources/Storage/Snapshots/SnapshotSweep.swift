import Entitlements
import LatchkeyWire

/// A sweep through the state as of one revision: it goes on in parts, between which the state may change.
///
/// A part is only taken under the ledger's lock. What is made of it, which takes much longer, is made elsewhere.
struct SnapshotSweep: Sendable {
  /// The revision of which every part is.
  let revision: UInt64
  private let partLimit: Int
  /// What was taken at the beginning: copies that cost nothing unless the ledger's own change before these are written.
  private var waiting: [SnapshotPart]

  /// How many records are taken at once: some 20 references each are copied, which keeps the lock for less than a recording does.
  static let partLimit = 128

  /// Begins a sweep, of which there is one at a time. To be ended by `Ledger.endSweep`.
  init(of state: inout StoreState, partLimit: Int = SnapshotSweep.partLimit) {
    self.partLimit = partLimit
    revision = state.revision
    let ledger = state.ledger
    waiting = [
      .lateChecks(state.lateChecks), .grants(ledger.grants), .tombstones(ledger.tombstones),
      .rules(ledger.settings, ledger.catalog),
    ]
    state.ledger.beginSweep()
  }

  /// The next part of the state as it was; nil when all were given.
  mutating func next(of state: inout StoreState) -> SnapshotPart? {
    if let part = waiting.popLast() { return part }
    if let records = state.ledger.sweepRecords(by: partLimit) { return .records(records) }
    return state.ledger.sweepRenewalInfos(by: partLimit).map { .renewalInfos($0) }
  }
}

/// A piece of the state, in the domain's values.
enum SnapshotPart: Sendable {
  case rules(Entitlements.Settings, Entitlements.Catalog)
  case tombstones([Tombstone])
  case grants([CustomerID: [Entitlements.ManualGrant]])
  case lateChecks([ScopedID: Entitlements.CheckCount])
  case records([(number: RecordNumber, record: Record)])
  case renewalInfos([Entitlements.RenewalInfo])
  /// What was counted of allowed checks, which is no part of the state, nor of its digest: it changes while it is written.
  case usages([CustomerUsage])

  /// Gives the part's entries one after the other.
  func forEachEntry(_ body: (StoredEntry) throws -> Void) rethrows {
    switch self {
    case .rules(let settings, let catalog):
      try body(.with { $0.settings = StoredSettings(settings) })
      try body(.with { $0.catalog = StoredCatalog(catalog) })
    case .tombstones(let tombstones):
      for tombstone in tombstones { try body(.with { $0.tombstone = StoredTombstone(tombstone) }) }
    case .grants(let grants):
      for (customer, given) in grants { try body(.with { $0.customerGrants = StoredCustomerGrants(customer, given) }) }
    case .lateChecks(let counts):
      for (transaction, count) in counts { try body(.with { $0.lateChecks = StoredLateChecks(transaction, count) }) }
    case .records(let records):
      for (number, record) in records { try body(StoredEntry(record, number: number)) }
    case .renewalInfos(let infos):
      for info in infos { try body(.with { $0.renewalInfo = LatchkeyWire.RenewalInfo(info) }) }
    case .usages(let usages):
      for usage in usages { try body(.with { $0.usage = StoredUsage(usage.customer, usage.used) }) }
    }
  }
}

extension StoredEntry {
  fileprivate init(_ record: Record, number: RecordNumber) {
    self.init()
    self.record = StoredRecord(record)
    recordNumberPlusOne = UInt64(number) + 1
  }

  /// The number that it names, if it does.
  var recordNumber: RecordNumber? { recordNumberPlusOne == 0 ? nil : RecordNumber(clamping: recordNumberPlusOne - 1) }
}

extension StoredCustomerGrants {
  fileprivate init(_ customer: CustomerID, _ grants: [Entitlements.ManualGrant]) {
    self.init()
    customerID = customer.text
    self.grants = grants.map { LatchkeyWire.ManualGrant($0) }
  }
}

/// The entries of a ledger that doesn't change meanwhile, in the order of a sweep.
package struct SnapshotEntries: Sequence, IteratorProtocol {
  private var state: StoreState
  private var sweep: SnapshotSweep
  /// Those of the last part, the next one last.
  private var entries: [StoredEntry] = []

  /// Begins before the first entry.
  package init(of ledger: Ledger) {
    state = StoreState(ledger: ledger)
    sweep = SnapshotSweep(of: &state)
  }

  package mutating func next() -> StoredEntry? {
    while entries.isEmpty {
      guard let part = sweep.next(of: &state) else { return nil }
      part.forEachEntry { entries.append($0) }
      entries.reverse()
    }
    return entries.popLast()
  }
}
