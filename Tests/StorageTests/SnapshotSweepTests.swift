import Entitlements
import Journaling
import TestSupport
import Testing

@testable import Storage

/// Snapshots that are taken while the state goes on changing.
struct SnapshotSweepTests {
  /// Puts a state together again from entries, as a start does.
  private func restore(_ entries: [StoredEntry]) throws -> StoreState {
    var snapshot = RestoredSnapshot()
    for entry in entries { try unsafe snapshot.restore(entry.encoded().span.bytes) }
    snapshot.finish(revision: 0)
    return snapshot.state
  }

  private func digest(of entries: [StoredEntry]) -> UInt64 {
    var digest = StateDigest()
    for entry in entries { digest.add(entry) }
    return digest.value
  }

  @Test(
    "A sweep between whose parts anything is recorded is of the revision at which it began",
    arguments: 1...40 as ClosedRange<UInt64>)
  func sweep(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var state = StoreState(ledger: Ledger(catalog: .sample))
    for _ in 0..<Int.random(in: 0...200, using: &history.random) { _ = try? state.apply(history.input()) }
    let before = state
    var sweep = SnapshotSweep(of: &state, partLimit: Int.random(in: 1...8, using: &history.random))
    var entries: [StoredEntry] = []
    while let part = sweep.next(of: &state) {
      part.forEachEntry { entries.append($0) }
      for _ in 0..<history.any([0, 1, 1, 5, 40]) { _ = try? state.apply(history.input()) }
    }
    #expect(sweep.revision == before.revision)
    let expected = Array(SnapshotEntries(of: before.ledger))
    #expect(Set(entries.map { $0.encoded() }) == Set(expected.map { $0.encoded() }))
    #expect(entries.count == expected.count)
    #expect(digest(of: entries) == StateDigest(of: before.ledger).value)
  }

  @Test("What is put back from a sweep goes on as the state of which it was", arguments: 1...20 as ClosedRange<UInt64>)
  func goesOn(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var state = StoreState(ledger: Ledger(catalog: .sample))
    for _ in 0..<120 { _ = try? state.apply(history.input()) }
    var before = state
    var sweep = SnapshotSweep(of: &state, partLimit: 5)
    var entries: [StoredEntry] = []
    while let part = sweep.next(of: &state) {
      part.forEachEntry { entries.append($0) }
      for _ in 0..<10 { _ = try? state.apply(history.input()) }
    }
    var restored = try restore(entries)
    for _ in 0..<60 {
      let input = history.input()
      let here = try? before.apply(input)
      let there = try? restored.apply(input)
      #expect(here?.outcome == there?.outcome && here?.affected == there?.affected && here?.customer == there?.customer)
    }
    #expect(StoreContents(restored.ledger, revision: 0) == StoreContents(before.ledger, revision: 0))
    #expect(restored.ledger.refundReport() == before.ledger.refundReport())
  }

  @Test(
    "A store that records, rebuilds and erases between the parts of a snapshot starts again with all of it",
    arguments: 1...6 as ClosedRange<UInt64>)
  func store(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var history = RandomHistory(seed: seed)
    var reference = StoreState()
    _ = try? reference.apply(.settings(Settings()))
    _ = try? reference.apply(.catalog(.sample))
    let store = try openStore(directory.store, options: JournalOptions(segmentBytes: 4096))
    func recordSome(_ count: Int) {
      for _ in 0..<count {
        let input = history.input()
        _ = try? reference.apply(input)
        _ = try? store.submitAndWait(input, evaluateAt: day(30))
      }
    }
    recordSome(150)
    for _ in 0..<3 {
      let (revision, digest) = (store.revision, store.contents.digest)
      let taken = try store.takeSnapshot {
        recordSome(2)
        _ = try? store.rebuild(.everyone, isDryRun: false) { _ in true }
      }
      #expect(taken.revision == revision && taken.bytes > 0)
      #expect(store.revision > revision)
      let reopened = try openStore(
        try directory.copy(of: directory.store), settings: store.read { ledger, _ in ledger.settings }, catalog: nil)
      #expect(reopened.recovery.snapshotRevision == revision)
      #expect(reopened.recovery.snapshotDigest == digest)
      #expect(reopened.contents == store.contents)
      #expect(reopened.contents.digest == StateDigest(of: reference.ledger).value)
    }
  }

  @Test("A customer who is erased while a snapshot is under way is off the disk with the second one after it")
  func erasure() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("secret-1"), as: "secret-2")
    try store.record(lifetime("1"), as: "ben")
    let order = OperatorOrder(by: "privacy desk", note: "request 4711", at: day(2))
    try store.takeSnapshot {
      _ = try? store.submitAndWait(.erasure(Erasure(customer: "secret-2", order: order)), evaluateAt: day(2))
    }
    #expect(store.answer("secret-2") == .unknownCustomer)
    for number in 0..<EntitlementStore.snapshotsUntilGone {
      #expect(try directory.holds("secret-"))
      try store.record(lifetime(Identifier("later \(number)")), as: "ben")
      try store.takeSnapshot()
    }
    #expect(try !directory.holds("secret-") && !directory.holds("4711"))
  }

  @Test("A snapshot that can't be written leaves the store as it was, and the next one is whole")
  func givenUp() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    for number in 1...300 { try store.record(lifetime(Identifier("\(number)")), as: Identifier("customer \(number)")) }
    try directory.blockingSnapshot(of: store.revision) { #expect(failure { try store.takeSnapshot() } == .other) }
    try store.record(lifetime("301"), as: "anna")
    #expect(try store.takeSnapshot().bytes > 0)
    let reopened = try openStore(try directory.copy(of: directory.store))
    #expect(reopened.contents == store.contents)
  }
}
