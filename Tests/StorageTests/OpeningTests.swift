import Entitlements
import Glibc
import Journaling
import Platform
import Testing

@testable import Storage

struct OpeningTests {
  @Test("Settings and catalog are journaled once, and again when they differ")
  func configuration() throws {
    let directory = try TemporaryDirectory()
    var settings = Settings()
    settings.transferPolicy = .share
    for _ in 0..<2 {
      let store = try openStore(directory.store, settings: settings)
      #expect(store.revision == 2)
      try store.close()
    }
    settings.clockSkewMilliseconds = 0
    let store = try openStore(directory.store, settings: settings)
    #expect(store.revision == 3)
    #expect(store.read { ledger, _ in ledger.settings } == settings)
    #expect(store.read { ledger, _ in ledger.catalog } == .sample)
    let copy = try directory.copy(of: directory.store)
    #expect(try openStore(copy, settings: settings, catalog: nil).read { ledger, _ in ledger.catalog } == .sample)
  }

  @Test("An empty bundle id and an empty access period, which the journal can't tell from none, are journaled once, too")
  func emptyConfiguration() throws {
    let directory = try TemporaryDirectory()
    var settings = Settings()
    settings.bundleID = ""
    let catalog = Catalog(products: ["p": .init(entitlements: ["pro"], accessPeriod: AccessPeriod())])
    for _ in 0..<2 {
      let store = try openStore(directory.store, settings: settings, catalog: catalog)
      #expect(store.revision == 1)
      try store.close()
    }
  }

  @Test("An empty bundle id is none when it is recorded, as it will be when it is replayed")
  func emptyBundleID() throws {
    let directory = try TemporaryDirectory()
    var settings = Settings()
    settings.bundleID = "com.example.app"
    let store = try openStore(directory.store, settings: settings)
    let recording = Recording(
      customer: "anna", rows: [.init(transaction: lifetime("1") { $0.currency = "" }, bundleID: "")], receivedAt: day(0))
    #expect(try store.submitAndWait(.recording(recording)).recorded.outcome == .applied)
    #expect(try store.submitAndWait(.recording(recording)).recorded.outcome == .duplicate)
    let copy = try openStore(try directory.copy(of: directory.store), settings: settings)
    #expect(copy.contents == store.contents)
    #expect(try copy.submitAndWait(.recording(recording)).recorded.outcome == .duplicate)
  }

  @Test("Another environment is refused once something is recorded, and the message names both")
  func environment() throws {
    let directory = try TemporaryDirectory()
    var settings = Settings()
    try openStore(directory.store, settings: settings).close()
    settings.environment = .sandbox
    let store = try openStore(directory.store, settings: settings)
    try store.record(lifetime("1"), as: "anna")
    try store.close()
    let error = try #require(throws: StoreError.self) { try openStore(directory.copy(of: directory.store)) }
    #expect(error.description.contains("holds Sandbox transactions"))
    #expect(error.description.contains("for Production"))
  }

  @Test("A directory that somebody has open is refused, and be it damaged")
  func inUse() throws {
    let directory = try TemporaryDirectory()
    let path = directory.store
    let store = try openStore(path)
    for _ in 0..<2 {
      #expect(failure { try openStore(path) } == .inUse)
      for name in try Directory.names(in: path) where name != "lock" {
        try File("\(path)/\(name)", for: .update).write([UInt8](repeating: 0xff, count: 64).span, at: 0)
      }
    }
    #expect(store.revision == 1)
  }

  @Test("A store that nobody holds any more gives its directory back")
  func dropped() throws {
    let directory = try TemporaryDirectory()
    _ = try openStore(directory.store).record(lifetime("1"), as: "anna")
    // The recorder ends on its own thread, so that the lock may be held for a moment.
    var reopened: EntitlementStore?
    while reopened == nil {
      do throws(StoreError) { reopened = try openStore(directory.store) } catch {
        guard case .journal(.inUse) = error else { throw error }
      }
    }
    #expect(reopened?.answer("anna").reason == .purchased)
  }

  /// A store that holds these records and, if any, a snapshot of these blocks with this digest.
  private func lay(_ path: String, records: [[UInt8]], snapshot: (digest: UInt64, blocks: [[UInt8]])? = nil) throws {
    let journal = try JournalDirectory.open(path).recover(snapshot: { _ in }, record: { _, _ in })
    let revision = try journal.append(records)
    guard let snapshot else { return }
    try journal.writeSnapshot(revision: revision) { writer in
      for block in snapshot.blocks { try writer.write(block) }
      return snapshot.digest
    }
  }

  @Test("Stored bytes that are whole and yet mean nothing to this version are refused")
  func unreadable() throws {
    let directory = try TemporaryDirectory()
    let input = StoredInput(.catalog(.sample)).encoded()
    let unknownInput: [UInt8] = [0x7a, 0]
    let block = StoredBlock.with { block in block.entries = [.with { $0.catalog = StoredCatalog(.sample) }] }.encoded()
    let unknownEntry: [UInt8] = [0x0a, 2] + unknownInput
    let whole = [UInt8](repeating: 0, count: JournalLimits.snapshotBlockBytes)
    try lay(directory.path + "/1", records: [unknownInput])
    try lay(directory.path + "/2", records: [[0xff]])
    try lay(directory.path + "/3", records: [input], snapshot: (digest: 1, blocks: [block]))
    try lay(directory.path + "/4", records: [input], snapshot: (digest: 0, blocks: [unknownEntry]))
    try lay(directory.path + "/5", records: [input], snapshot: (digest: 0, blocks: [whole]))
    for number in 1...5 {
      let path = "\(directory.path)/\(number)"
      #expect(failure { try openStore(path) } == .rejected)
    }
  }

  @Test("A replay that gives another state than the journal's digest of it tells is refused in plain words")
  func divergence() throws {
    let directory = try TemporaryDirectory()
    let path = directory.store
    let block = StoredBlock.with { block in block.entries = [.with { $0.catalog = StoredCatalog(.sample) }] }.encoded()
    try lay(path, records: [StoredInput(.catalog(.sample)).encoded()], snapshot: (digest: 1, blocks: [block]))
    let snapshot = try #require(try Directory.names(in: path).first { $0.hasPrefix("snapshot") })
    // Without the snapshot, the replay comes through the revision that it was of.
    try File("\(path)/\(snapshot)", for: .update).write([0xFF].span, at: 600)
    let error = try #require(throws: StoreError.self) { try openStore(path, catalog: nil) }
    #expect(error.description.contains("up to revision 1 give another state"))
  }

  @Test("A store that grows quiet notes how far its journal is complete, what was journaled at its start included")
  func quiet() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    for revision in 1...2 as ClosedRange<UInt64> {
      if revision > 1 { try store.record(lifetime("1"), as: "anna") }
      while store.journal.completeRevision < revision { sched_yield() }
      #expect(store.journal.completeRevision == revision)
    }
  }
}
