import Entitlements
import Glibc
import Journaling
import Platform
import TestSupport
import Testing

@testable import Storage

/// What the formats hold, against files that were written once and never change; Tests/Golden/README.md says how they were made.
struct GoldenTests {
  private static let golden = GoldenFiles.path("store")

  /// The files of a store by name.
  private func files(in path: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try Directory.names(in: path) where name.hasSuffix(".lk") {
      let file = try File("\(path)/\(name)", for: .read)
      files[name] = try file.read(file.size(), at: 0)
    }
    return files
  }

  @Test("What is written today is byte for byte what was written then")
  func sameBytes() throws {
    let directory = try TemporaryDirectory()
    try GoldenStore.write(directory.store)
    let written = try files(in: directory.store)
    if unsafe getenv(GoldenFiles.writingVariable) != nil {
      TemporaryDirectory.remove(Self.golden)
      try Directory.create(Self.golden)
      for (name, bytes) in written { try File("\(Self.golden)/\(name)", for: .create).write(bytes.span, at: 0) }
    }
    #expect(written == (try files(in: Self.golden)))
  }

  /// Expects a store to hold and answer what was written then.
  private func expectContents(of store: EntitlementStore) {
    let contents = store.contents
    #expect(contents.revision == 11)
    #expect(contents.digest == 4_942_289_548_131_724_500)
    #expect(
      contents.holdings.mapValues { $0.map(\.id.text) }.filter { !$0.value.isEmpty }
        == ["anna": ["t1"], "ben": ["t2"], "emil": ["t4"]])
    #expect(contents.tombstones.map(\.by) == ["privacy desk"])
    #expect(contents.tombstones.map(\.removed) == [1])
    #expect(contents.grants["carla"]?.map(\.takenBack?.by) == ["boss"])
    #expect(store.read { ledger, _ in ledger.settings } == GoldenStore.settings)
    #expect(store.read { ledger, _ in ledger.catalog } == GoldenStore.catalog)
    #expect([2, 7].map { store.answer("anna", at: day($0)).reason } == [.purchased, .refunded])
    #expect([2, 7].map { store.answer("ben", at: day($0)).reason } == [.familyShared, .sharedPurchaseRefunded])
    #expect(
      store.answer("carla", "plus", at: day(3)) == .init(reason: .manualGrant, ownership: 0, validUntil: day(5).milliseconds))
    #expect(store.answer("carla", "plus", at: day(5)).reason == .grantEnded)
    #expect(store.answer("emil", "plus", at: day(2)).reason == .purchased)
    for customer in ["dora", "guest"] as [CustomerID] { #expect(store.answer(customer) == .unknownCustomer) }
  }

  @Test("A store of then holds and answers what it did")
  func whole() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(try directory.copy(of: Self.golden), settings: GoldenStore.settings, catalog: nil)
    expectContents(of: store)
    #expect(store.recovery.snapshotRevision == GoldenStore.snapshotRevision)
    #expect(store.recovery.recordCount == 2)
    #expect(store.cache.usage(of: "anna", "pro") == GoldenStore.usage)
    #expect(store.state.withLock { $0.lateChecks[GoldenStore.late.transaction] }?.checks == 2)
  }

  @Test("Without its snapshot a store of then is replayed from the start, through the state of its digest")
  func fromTheStart() throws {
    let directory = try TemporaryDirectory()
    let copy = try directory.copy(of: Self.golden)
    let snapshot = try #require(try Directory.names(in: copy).first { $0.hasPrefix("snapshot") })
    try File("\(copy)/\(snapshot)", for: .update).write([0xFF].span, at: 600)
    let store = try openStore(copy, settings: GoldenStore.settings, catalog: nil)
    expectContents(of: store)
    #expect(store.recovery.snapshotRevision == nil)
    #expect(store.recovery.recordCount == 11)
    #expect(store.recovery.digestCount == 1)
  }
}
