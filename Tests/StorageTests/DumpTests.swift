import Entitlements
import Journaling
import Testing

@testable import Storage

struct DumpTests {
  private func lines(_ dump: Dump) -> [String] {
    var lines: [String] = []
    dump.forEachLine { lines.append($0) }
    return lines
  }

  @Test(
    "What is dumped and restored into an empty store has the same digest, and answers the same",
    arguments: 1...12 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: seed, inputs: 200)
    let dump = try Dump(ofStore: killed.path)
    #expect((dump.digest, dump.revision) == (killed.held.digest, killed.held.revision))
    let store = try openStore(directory.store, catalog: nil)
    for line in lines(dump) { _ = try store.submitAndWait(.restoration(Restoration(line: line))) }
    store.expectAnswersOfLedger()
    let restored = store.contents
    #expect(restored.digest == killed.held.digest)
    #expect(restored.holdings == killed.held.holdings)
    #expect(restored.grants == killed.held.grants)
    #expect(restored.tombstones == killed.held.tombstones)
    #expect(restored.answers == killed.held.answers)
    let settings = store.read { ledger, _ in ledger.settings }
    let reopened = try openStore(try directory.copy(of: directory.store), settings: settings, catalog: nil)
    #expect(reopened.contents == restored)
  }

  @Test("What is recorded after a restoration is decided as it would have been before", arguments: 21...26 as ClosedRange<UInt64>)
  func goesOn(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var (before, after) = (StoreState(), StoreState())
    _ = try before.apply(.catalog(.sample))
    for _ in 0..<150 { _ = try? before.apply(history.input()) }
    for line in lines(Dump(before)) { _ = try after.apply(.restoration(Restoration(line: line))) }
    for _ in 0..<150 {
      let input = history.input().normalForm
      let (one, other) = (Result { try before.apply(input) }, Result { try after.apply(input) })
      #expect((try? one.get().outcome) == (try? other.get().outcome))
      #expect((try? one.get().affected) == (try? other.get().affected))
    }
    #expect(StateDigest(of: before.ledger).value == StateDigest(of: after.ledger).value)
  }

  @Test("Restoring the very same again changes nothing, and nothing is ever overwritten")
  func again() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 31)
    let dumped = lines(try Dump(ofStore: killed.path))
    let store = try openStore(directory.store, catalog: nil)
    for line in dumped { _ = try store.submitAndWait(.restoration(Restoration(line: line))) }
    let revision = store.revision
    for line in dumped {
      let applied = try store.submitAndWait(.restoration(Restoration(line: line)))
      #expect(applied.recorded.outcome == .duplicate)
    }
    #expect(store.revision == revision)
    let other = try openStore("\(directory.path)/other", catalog: nil)
    let transaction = try #require(
      dumped.compactMap { try? Restoration(line: $0) }.compactMap { piece in
        if case .record(let record) = piece { record.transaction } else { nil }
      }.first)
    try other.record(lifetime(transaction.transactionID) { $0.environment = transaction.environment }, as: "somebody.else")
    let held = other.contents
    for line in dumped where line.contains(#""transaction_id":"\#(transaction.transactionID)""#) || line.contains("clock_skew") {
      #expect(failure { try other.submitAndWait(.restoration(Restoration(line: line))) } == .refused)
    }
    #expect(other.contents == held)
  }

  @Test(
    "A line that is no piece of a state is refused, and says where",
    arguments: [
      ("{}", "missing"), (#"{"latchkey_entry":{}}"#, "expected one piece of a state"),
      (#"{"latchkey_entry":{"record":{"holder":["ana"]}}}"#, "holder"),
      (#"{"latchkey_entry":{"settings":{"clock_skew_ms":"1"}}}"#, "clock_skew_ms"),
      (#"{"latchkey_entry":{"settings":{"clock_skew_ms":-1}}}"#, "clock_skew_ms"),
      (#"{"latchkey_entry":{"record":{"transaction":{"transaction_id":"1"}}}}"#, "environment"),
      (#"{"latchkey_entry":{"tombstone":{"by":"me"}}}"#, "place"),
      (#"{"latchkey_entry":{"customer_grants":{"customer_id":"ana"}}}"#, "grants"),
      (#"{"latchkey_entry":{"usage":{}}}"#, "expected one piece"),
    ])
  func malformed(line: String, word: String) throws {
    let refusal: Refusal? = {
      do throws(Refusal) {
        try Input.restoration(Restoration(line: line)).validate()
        return nil
      } catch { return error }
    }()
    #expect("\(try #require(refusal))".contains(word), "\(refusal?.description ?? "")")
  }

  @Test("A dump is refused of a store that is damaged")
  func damaged() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 4)
    let first = try #require(try StoredFiles(in: killed.path).names("journal-").first)
    try flip("\(killed.path)/\(first)", at: 700)
    #expect(throws: StoreError.self) { try Dump(ofStore: killed.path) }
  }
}
