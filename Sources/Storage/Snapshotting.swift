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
  /// - Throws: `.busy` while another long work is under way, `.journal`.
  package func takeSnapshot() throws(StoreError) -> (revision: UInt64, bytes: UInt64) {
    try exclusively("a snapshot") { () throws(StoreError) in
      let result: Result<(revision: UInt64, bytes: UInt64), JournalError> = state.withLock { state in
        do throws(JournalError) {
          let bytes = try journal.writeSnapshot(revision: state.revision, digest: StateDigest(of: state.ledger).value) { writer in
            var blocks = BlockBuilder()
            for entry in SnapshotEntries(of: state.ledger) {
              if let block = blocks.add(entry) { try writer.write(block) }
            }
            if let block = blocks.finish() { try writer.write(block) }
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
}

/// The entries of a ledger in the order of a snapshot: settings, catalog, records by their number, renewal infos.
struct SnapshotEntries: Sequence, IteratorProtocol {
  private let ledger: Ledger
  private var head: [StoredEntry] = []
  private var nextRecord = 0
  private var lineages: Dictionary<ScopedID, Lineage>.Values.Iterator

  init(of ledger: Ledger) {
    self.ledger = ledger
    lineages = ledger.lineages.values.makeIterator()
    var settings = StoredEntry()
    settings.settings = StoredSettings(ledger.settings)
    var catalog = StoredEntry()
    catalog.catalog = StoredCatalog(ledger.catalog)
    head = [catalog, settings]
  }

  mutating func next() -> StoredEntry? {
    if let entry = head.popLast() { return entry }
    var entry = StoredEntry()
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
    return nil
  }
}

/// Packs entries into blocks.
private struct BlockBuilder {
  private var block = StoredBlock()

  /// How many entries go into a block: a record has at most a few kilobytes, so that a block stays under its limit.
  private static let entryCount = 64

  mutating func add(_ entry: StoredEntry) -> [UInt8]? {
    block.entries.append(entry)
    return block.entries.count >= BlockBuilder.entryCount ? finish() : nil
  }

  mutating func finish() -> [UInt8]? {
    guard !block.entries.isEmpty else { return nil }
    defer { block.entries = [] }
    return block.encoded()
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
