import Entitlements
import Journaling
import Platform
import Testing

@testable import Storage

struct ReplayTests {
  @Test("Replay equals live, over snapshots, clean and unclean ends", arguments: 1...7 as ClosedRange<UInt64>)
  func replay(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var history = RandomHistory(seed: seed)
    var reference = StoreState()
    _ = try? reference.apply(.catalog(.sample))
    var path = directory.store
    var store = try openStore(path, options: JournalOptions(segmentBytes: 4096))
    for _ in 0..<240 {
      switch Int.random(in: 0..<40, using: &history.random) {
      case 0:
        _ = try store.takeSnapshot()
      case 1:
        let settings = store.read { ledger, _ in ledger.settings }
        if history.random.oneIn(2) { try store.close() }
        path = try directory.copy(of: path)
        store = try openStore(path, settings: settings, catalog: nil, options: JournalOptions(segmentBytes: 4096))
        let live = store.contents
        #expect(live.digest == StateDigest(of: reference.ledger).value)
        store.expectAnswersOfLedger()
      default:
        let input = history.input()
        _ = try? reference.apply(input)
        do throws(StoreError) { _ = try store.submitAndWait(input, evaluateAt: day(30)) } catch {
          guard case .refused = error else { throw error }
        }
      }
    }
    store.expectAnswersOfLedger()
    let live = store.contents
    #expect(StoreContents(reference.ledger, revision: live.revision) == live)
    let copy = try openStore(
      try directory.copy(of: path), settings: store.read { ledger, _ in ledger.settings }, catalog: nil)
    #expect(copy.contents == live)
  }

  @Test("A snapshot and the journal after it give what the whole journal gives")
  func snapshotAndJournal() throws {
    let directory = try TemporaryDirectory()
    var history = RandomHistory(seed: 77)
    let store = try openStore(directory.store)
    for _ in 0..<100 { _ = try? store.submitAndWait(.recording(history.recording())) }
    let before = try directory.copy(of: directory.store)
    #expect(try store.takeSnapshot().bytes > 0)
    #expect(try store.takeSnapshot().bytes == 0)
    for _ in 0..<100 { _ = try? store.submitAndWait(.recording(history.recording())) }
    let after = try directory.copy(of: directory.store)
    let reopened = try openStore(after)
    #expect(reopened.recovery.snapshotRevision != nil)
    #expect(reopened.contents == store.contents)
    #expect(try openStore(before).revision < reopened.revision)
  }

  @Test(
    "A replay from before a snapshot that is damaged gives the state that the journal's digest is of",
    arguments: 1...6 as ClosedRange<UInt64>)
  func throughDigest(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var history = RandomHistory(seed: seed)
    let store = try openStore(directory.store, options: JournalOptions(segmentBytes: 4096))
    for _ in 0..<2 {
      for _ in 0..<120 { _ = try? store.submitAndWait(history.input()) }
      _ = try store.takeSnapshot()
    }
    _ = try store.submitAndWait(.recording(recording(lifetime("last"), as: "anna")))
    let copy = try directory.copy(of: directory.store)
    let newest = try #require(try Directory.names(in: copy).last { $0.hasPrefix("snapshot") })
    try File("\(copy)/\(newest)", for: .update).write([0xFF].span, at: 600)
    let settings = store.read { ledger, _ in ledger.settings }
    let reopened = try openStore(copy, settings: settings, catalog: nil, options: JournalOptions(segmentBytes: 4096))
    #expect(reopened.recovery.digestCount == 1)
    #expect(reopened.contents == store.contents)
  }
}
