import Entitlements
import LatchkeyWire
import Protobuf
import TestSupport
import Testing

@testable import Storage

/// What is read from its bytes in place, held to what its message says.
struct ReadingInPlaceTests {
  /// Bytes as they are written, or changed.
  private func variants(of written: [UInt8], _ random: inout SeededRandom) -> [[UInt8]] {
    [written, written + written] + (0..<6).map { _ in damaged(written, by: &random) }
  }

  @Test("A recording that is read in place is the one that its message says", arguments: 1...8 as ClosedRange<UInt64>)
  func recordings(seed: UInt64) {
    var history = RandomHistory(seed: seed)
    for _ in 0..<200 {
      let recording = history.recording()
      let written = StoredInput(.recording(recording), recordedAt: history.moment()).record
      for bytes in variants(of: written, &history.random) {
        let message = unsafe try? StoredInput(record: bytes.span.bytes)
        let read = unsafe try? JournaledInput.read(bytes.span.bytes)
        #expect((message == nil) == (read == nil))
        #expect(message?.input == read?.input)
        #expect(message?.recordedAtMilliseconds == read?.recordedAt.milliseconds)
      }
      var fields = unsafe OrderedFields(filling: written.span.bytes)
      #expect(unsafe Recording.next(of: &fields, in: written.span.bytes) == recording)
    }
  }

  @Test("A record that is packed from its bytes is the one that its message says", arguments: 1...8 as ClosedRange<UInt64>)
  func records(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var (ledger, records, met) = (Ledger(), RestoredRecords(), MetTraits())
    var (readCount, packedCount) = (0, 0)
    for number in 0..<400 {
      for bytes in variants(of: entry(number, &history).encoded(), &history.random) {
        guard let fields = unsafe RecordFields(entry: bytes.span.bytes) else { continue }
        readCount += 1
        var message = try unsafe StoredEntry(entry: bytes.span.bytes)
        #expect(message.encoded() == bytes)
        #expect(message.recordNumber == fields.number)
        message.recordNumberPlusOne = 0
        #expect(message.encoded() == Array(bytes[fields.digested]))
        let record = Record(try #require(message.record))
        if record.transaction.environment == nil { continue }
        if let traits = unsafe met.traits(of: fields, in: bytes.span.bytes) {
          packedCount += 1
          unsafe records.add(RecordParts.of(fields, in: bytes.span.bytes), traits, number: nil, to: &ledger)
        } else {
          met.keep(records.add(record, to: &ledger))
        }
        #expect(ledger.records[ledger.records.count - 1] == record)
      }
    }
    #expect(readCount > 300 && packedCount > 50)
  }

  /// A record as a snapshot holds it, mostly of one holder; its traits come again.
  private func entry(_ number: Int, _ history: inout RandomHistory) -> StoredEntry {
    var transaction = history.transaction()
    transaction.environment = history.any([.production, .sandbox, .other("Moon")])
    transaction.priceMilliunits = history.any([nil, 0, 9_990])
    transaction.revocationPercentage = history.any([nil, nil, 50_000])
    transaction.transactionID = history.any([history.id("t", of: 9), "2000000123456789", "0f0e0d0c-0b0a-0908-0706-050403020100"])
    var record = Record(transaction: transaction, source: history.any([.device, .import]), recordedAt: history.moment())
    record.holders = history.any([[], ["anna"], ["anna"], ["ben"], ["anna", "ben"]])
    record.links = history.any([[], [], ["o1"], ["o1", "o2"]])
    if history.random.oneIn(8) { record.marks = [RevokeMark(date: day(4), lastsThrough: day(5))] }
    if history.random.oneIn(4) { record.firstRecordedAt = history.moment() }
    return .with {
      $0.record = StoredRecord(record)
      $0.recordNumberPlusOne = history.any([0, 1, UInt64(number), .max])
    }
  }

  @Test(
    "A snapshot that is read in place gives the state and the digest that its messages give",
    arguments: 1...8 as ClosedRange<UInt64>)
  func snapshots(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var state = StoreState(ledger: Ledger(catalog: .sample))
    for _ in 0..<200 { _ = try? state.apply(history.input()) }
    var snapshot = RestoredSnapshot()
    var (ledger, records) = (Ledger(), RestoredRecords())
    for entry in SnapshotEntries(of: state.ledger).shuffled(using: &history.random) {
      try unsafe snapshot.restore(entry.encoded().span.bytes)
      #expect(ledger.restore(entry, &records))
    }
    snapshot.finish(revision: 0)
    records.finish(&ledger)
    #expect(snapshot.state.ledger.records == ledger.records)
    #expect(StateDigest(of: snapshot.state.ledger).value == StateDigest(of: ledger).value)
    #expect(StoreContents(snapshot.state.ledger, revision: 0) == StoreContents(ledger, revision: 0))
  }
}
