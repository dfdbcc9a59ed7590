import TestSupport
import Testing

@testable import Entitlements

struct RecordStoreTests {
  /// A record of few ids, so that most of them meet; any of its fields may be missing.
  private func record(_ id: Int, _ random: inout SeededRandom) -> Record {
    func maybe<Value>(_ value: Value, _ random: inout SeededRandom) -> Value? {
      random.oneIn(2) ? nil : value
    }
    func some(_ name: String, _ random: inout SeededRandom) -> Identifier {
      Identifier("\(name)\(Int.random(in: 1...4, using: &random))")
    }
    let environments: [Environment] = [.production, .sandbox, .other("Lab")]
    let ownerships: [Ownership] = [.purchased, .familyShared, .other("ASSIGNED")]
    let transaction = Transaction(
      transactionID: Identifier("\(id)"), originalTransactionID: maybe(some("", &random), &random),
      productID: some("com.example.product.", &random), type: maybe(.other("Lease"), &random),
      ownership: ownerships.randomElement(using: &random) ?? .purchased, environment: environments.randomElement(using: &random),
      purchaseDate: maybe(day(1), &random), expiresDate: maybe(day(31), &random), signedDate: day(2),
      isUpgraded: random.oneIn(4), revocationDate: maybe(day(9), &random), revocationReason: maybe(.developerIssue, &random),
      revocationType: maybe(.refundProrated, &random), revocationPercentage: maybe(50_000, &random),
      priceMilliunits: maybe(9_990, &random), currency: maybe("EUR", &random),
      appTransactionID: maybe(some("70", &random), &random),
      appAccountToken: maybe(some("holder-", &random).text, &random))
    var record = Record(transaction: transaction, source: .device, recordedAt: day(Int64.random(in: 1...3, using: &random)))
    for number in 1...4 where random.oneIn(4) { record.holders.append(Identifier("holder-\(number)")) }
    for number in 1...4 where random.oneIn(4) { record.links.append(Identifier("\(number)")) }
    if random.oneIn(4) { record.marks = [RevokeMark(date: day(4), lastsThrough: day(5))] }
    if random.oneIn(4) { record.firstRecordedAt = day(0) }
    return record
  }

  @Test("Records come back as they were put, and the indexes say what they say", arguments: 1...12 as ClosedRange<UInt64>)
  func model(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var (store, expected): (RecordStore, [Record]) = (RecordStore(), [])
    for step in 0..<160 {
      let number = Int.random(in: 0..<max(expected.count, 1), using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where !expected.isEmpty && !expected[number].isAnonymous:
        expected[number] = random.oneIn(3) ? expected[number].anonymous : self.record(1_000 + number, &random)
        store.replace(number, with: expected[number])
      case 1 where !expected.isEmpty && !expected[number].isAnonymous:
        expected[number].holders =
          random.oneIn(3) ? [] : ["holder-2", Identifier("holder-\(Int.random(in: 3...9, using: &random))")]
        store.setHolders(expected[number].holders, of: number)
      default:
        var record = self.record(1_000 + expected.count, &random)
        if random.oneIn(2) {
          record = plain(record)
          #expect(appendVersion(of: record, to: &store) == expected.count)
        } else {
          #expect(store.append(record) == expected.count)
        }
        expected.append(record)
      }
      guard step % 20 == 19 else { continue }
      #expect(Array(store) == expected)
      expectIndexes(of: store, toBeOf: expected)
    }
  }

  /// The record as its version alone makes it, with its first holder.
  private func plain(_ record: Record) -> Record {
    var version = record.transaction
    version.revocationDate = nil
    var plain = Record(transaction: version, source: record.source, recordedAt: record.recordedAt)
    plain.holders = Array(record.holders.prefix(1))
    return plain
  }

  private func appendVersion(of record: Record, to store: inout RecordStore) -> RecordNumber {
    store.append(
      record.transaction, in: record.environment, heldBy: record.holders.first, from: record.source,
      recordedAt: record.recordedAt)
  }

  private func expectIndexes(of store: RecordStore, toBeOf records: [Record]) {
    func numbers(_ isMeant: (Record) -> Bool) -> [RecordNumber] {
      records.indices.filter { !records[$0].isAnonymous && isMeant(records[$0]) }
    }
    let known = records.filter { !$0.isAnonymous }
    for record in known {
      #expect(store.number(of: record.key) == records.firstIndex(of: record))
      let account = record.account.flatMap { store.number(ofAccount: $0.id, in: $0.environment) }
      #expect((account == nil) == (record.account == nil))
      if let account { #expect(store.records(of: account) == numbers { $0.account == record.account }) }
    }
    let lineages = Set(known.map(\.lineage) + known.flatMap { record in record.links.map { ScopedID(record.environment, $0) } })
    #expect(Set(store.lineageIDs) == lineages)
    for lineage in lineages {
      guard let number = store.number(ofLineage: lineage) else { continue }
      #expect(store.records(of: number) == numbers { $0.lineage == lineage })
      #expect(
        store.linkedRecords(of: number)
          == numbers { record in record.environment == lineage.environment && record.links.contains(lineage.id) })
    }
    #expect(Set(store.holders) == Set(known.flatMap(\.holders)))
    for holder in store.holders {
      #expect(store.number(of: holder).map { store.records(of: $0) } == numbers { $0.holders.contains(holder) })
    }
  }

  @Test("Records whose words look alike, but are other bytes, come back with their own")
  func canonicalEquivalence() {
    var store = RecordStore()
    for (number, word) in ["é", "e\u{0301}"].enumerated() {
      let transaction = Transaction(
        transactionID: Identifier("\(number + 1)"), productID: "pro", type: .other(word), environment: .other(word),
        currency: word)
      _ = store.append(Record(transaction: transaction, source: .device, recordedAt: day(0)))
    }
    let words = store.map { [$0.transaction.type?.text, $0.transaction.environment?.text, $0.transaction.currency] }
    #expect(
      words.map { $0.map { $0.map { Array($0.utf8) } } }
        == [[[0xC3, 0xA9]], [[0x65, 0xCC, 0x81]]].map { Array(repeating: $0[0], count: 3) })
  }

  @Test("A record takes one line of the processor's cache")
  func size() { #expect(MemoryLayout<PackedRecord>.stride == 64) }

  @Test("A lineage that a record leaves, but is linked to from now on, stays known")
  func leftAndLinked() {
    var store = RecordStore()
    func record(of lineage: Identifier) -> Record {
      Record(
        transaction: Transaction(transactionID: "9", originalTransactionID: lineage, productID: "pro", environment: .production),
        source: .device, recordedAt: day(0))
    }
    let number = store.append(record(of: "1"))
    var moved = record(of: "2")
    moved.links = ["1"]
    store.replace(number, with: moved)
    #expect(store.number(ofLineage: ScopedID(.production, "1")).map { store.linkedRecords(of: $0) } == [number])
    #expect(store[number] == moved)
  }

  @Test("A sweep gives every record as it was when it began, whatever became of it", arguments: 1...6 as ClosedRange<UInt64>)
  func sweep(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var store = RecordStore()
    for number in 0..<50 { _ = store.append(record(1_000 + number, &random)) }
    let before = Array(store)
    store.beginSweep()
    var swept: [RecordNumber: Record] = [:]
    while let part = store.sweepOn(by: 7) {
      for (number, record) in part { #expect(swept.updateValue(record, forKey: number) == nil) }
      for _ in 0..<5 {
        let number = Int.random(in: 0..<50, using: &random)
        store.replace(number, with: record(1_000 + number, &random))
        store.setHolders(["holder-1"], of: Int.random(in: 0..<50, using: &random))
      }
    }
    #expect(before.indices.map { swept[$0] } == before)
    store.endSweep()
    #expect(store.sweepOn(by: 7) == nil)
  }
}
