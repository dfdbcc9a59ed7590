import Entitlements
import Journaling
import LatchkeyWire
import Protobuf

extension EntitlementStore {
  /// Writes the state as of now to the disk, verified, so that a start needs only the journal after it.
  ///
  /// Recordings wait meanwhile, checks don't.
  ///
  /// - Returns: the revision, and the bytes written: 0 where a snapshot of it is there already.
  /// - Throws: `.busy` while another snapshot is under way, `.journal`.
  package func takeSnapshot() throws(StoreError) -> (revision: UInt64, bytes: UInt64) {
    try exclusively(.snapshot) { () throws(StoreError) in
      // A snapshot ends with a write to the journal: had that failed, the recorder would find out.
      defer { queue.wakeUp() }
      let result: Result<(revision: UInt64, bytes: UInt64), JournalError> = state.withLock { state in
        do throws(JournalError) {
          let bytes = try journal.writeSnapshot(revision: state.revision, digest: StateDigest(of: state.ledger).value) { writer in
            var blocks = BlockBuilder()
            for entry in SnapshotEntries(of: state.ledger) {
              for block in blocks.add(entry) { try writer.write(block.span) }
            }
            try addCounts(beside: state, to: &blocks, &writer)
            for block in blocks.finish() { try writer.write(block.span) }
          }
          return .success((state.revision, bytes))
        } catch {
          return .failure(error)
        }
      }
      switch result {
      case .success(let value): return value
      case .failure(let error): throw .journal(error)
      }
    }
  }

  /// Writes what was counted of allowed checks. It isn't part of the state, nor of its digest: it changes while it is written.
  private func addCounts(beside state: StoreState, to blocks: inout BlockBuilder, _ writer: inout SnapshotWriter) throws {
    var checks: Int64 = 0
    try cache.forEachUsageWhileWriting { customer, used in
      checks += used.reduce(0) { $0 + $1.usage.total }
      let entry = StoredEntry.with { $0.usage = StoredUsage(customer, used) }
      for block in blocks.add(entry) { try writer.write(block.span) }
    }
    for (transaction, count) in state.lateChecks {
      let entry = StoredEntry.with { $0.lateChecks = StoredLateChecks(transaction, count) }
      for block in blocks.add(entry) { try writer.write(block.span) }
    }
    checksInSnapshot.store(checks, ordering: .releasing)
  }

  /// Journals the settings once more where the newest snapshot is of this very revision, and lacks checks that were counted since:
  /// there is one snapshot of a revision. Only once the recorder has ended.
  func makeRevisionForCounts() throws(StoreError) {
    let result: Result<Void, JournalError> = state.withLock { state in
      guard state.revision > 0, journal.newestSnapshotRevision == state.revision,
        countedChecks != checksInSnapshot.load(ordering: .acquiring)
      else { return .success(()) }
      do throws(JournalError) {
        let input = Input.settings(state.ledger.settings).normalForm
        _ = try journal.append([StoredInput(input).encoded()])
        try journal.seal()
        // Settings are never refused.
        _ = try? state.apply(input)
        cache.publish([], revision: state.revision)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    do throws(JournalError) { try result.get() } catch { throw .journal(error) }
  }

  private var countedChecks: Int64 {
    var checks: Int64 = 0
    cache.forEachUsageWhileWriting { _, used in checks += used.reduce(0) { $0 + $1.usage.total } }
    return checks
  }
}

/// The entries of a ledger in the order of a snapshot: settings, catalog, tombstones, records by their number, renewal infos, manual
/// grants.
struct SnapshotEntries: Sequence, IteratorProtocol {
  private let ledger: Ledger
  private var head: [StoredEntry] = []
  private var nextRecord = 0
  private var lineages: Dictionary<ScopedID, Lineage>.Values.Iterator
  private var grants: Dictionary<CustomerID, [Entitlements.ManualGrant]>.Iterator

  init(of ledger: Ledger) {
    self.ledger = ledger
    lineages = ledger.lineages.values.makeIterator()
    grants = ledger.grants.makeIterator()
    var settings = StoredEntry()
    settings.settings = StoredSettings(ledger.settings)
    var catalog = StoredEntry()
    catalog.catalog = StoredCatalog(ledger.catalog)
    let tombstones = ledger.tombstones.map { tombstone in
      var entry = StoredEntry()
      entry.tombstone = StoredTombstone(tombstone)
      return entry
    }
    head = tombstones.reversed() + [catalog, settings]
  }

  mutating func next() -> StoredEntry? {
    if let entry = head.popLast() { return entry }
    var entry = StoredEntry()
    while nextRecord < ledger.records.count, ledger.records[nextRecord].isBlank { nextRecord += 1 }
    if nextRecord < ledger.records.count {
      entry.record = StoredRecord(ledger.records[nextRecord])
      nextRecord += 1
      return entry
    }
    while let lineage = lineages.next() {
      guard let info = lineage.renewalInfo else { continue }
      entry.renewalInfo = LatchkeyWire.RenewalInfo(info)
      return entry
    }
    guard let (customer, given) = grants.next() else { return nil }
    entry.customerGrants = .with {
      $0.customerID = customer.text
      $0.grants = given.map { LatchkeyWire.ManualGrant($0) }
    }
    return entry
  }
}

/// Packs entries into blocks. A block of the greatest length goes on in the next one: a catalog, or a record that many hold, can be
/// longer.
struct BlockBuilder {
  private var block = StoredBlock()

  /// How many entries go into a block: most have less than a kilobyte.
  private static let entryCount = 64

  /// Adds an entry, and gives the blocks that are ready.
  mutating func add(_ entry: StoredEntry) -> [ArraySlice<UInt8>] {
    block.entries.append(entry)
    return block.entries.count >= BlockBuilder.entryCount ? finish() : []
  }

  /// The blocks of what was added since.
  mutating func finish() -> [ArraySlice<UInt8>] {
    guard !block.entries.isEmpty else { return [] }
    let bytes = block.encoded()
    block.entries = []
    let limit = JournalLimits.snapshotBlockBytes
    // The last piece is shorter than the limit, if need be empty, so that it isn't taken for one that goes on.
    return (0...bytes.count / limit).map { bytes[$0 * limit..<min(($0 + 1) * limit, bytes.count)] }
  }
}

/// Puts the entries of a snapshot together again.
struct BlockReader {
  private var pending: [UInt8] = []

  /// Whether the last block was said to go on.
  var isIncomplete: Bool { !pending.isEmpty }

  /// Takes one more block, and gives the entries that it completes.
  mutating func entries(in block: [UInt8]) throws(MalformedMessage) -> [StoredEntry] {
    pending += block
    guard block.count < JournalLimits.snapshotBlockBytes else { return [] }
    defer { pending = [] }
    return try StoredBlock(decoding: pending, elementLimit: .max).entries
  }
}

/// A digest of the state that doesn't depend on the order of what it holds.
struct StateDigest {
  private(set) var value: UInt64 = 0
  /// Not a secret: the digest tells damage, not malice.
  private static let hash = KeyedHash(key0: 0, key1: 0)

  init() {}

  init(of ledger: Ledger) {
    for entry in SnapshotEntries(of: ledger) { add(entry) }
  }

  mutating func add(_ entry: StoredEntry) {
    value &+= unsafe entry.encoded().withUnsafeBytes { unsafe StateDigest.hash.hash($0) }
  }
}
