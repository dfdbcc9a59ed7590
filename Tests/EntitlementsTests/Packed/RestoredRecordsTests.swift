import TestSupport
import Testing

@testable import Entitlements

struct RestoredRecordsTests {
  private func records(_ count: Int) -> [Record] {
    (0..<count).map { number in
      var record = Record(
        transaction: lifetime(Identifier("\(number)")) { $0.environment = .production }, source: .device, recordedAt: day(0))
      record.holders = [CustomerID("holder-\(number % 3)")]
      return record
    }
  }

  @Test(arguments: 0...40)
  func `records come back in the order of their numbers, whatever order they came in`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let records = records(Int(seed))
    var (restored, ledger) = (RestoredRecords(), Ledger())
    for number in records.indices.shuffled(using: &random) { restored.add(records[number], number: number * 3, to: &ledger) }
    restored.finish(&ledger)
    #expect(Array(ledger.records) == records)
    #expect(ledger.holdings(of: "holder-1") == records.indices.filter { $0 % 3 == 1 })
    for (number, record) in records.enumerated() { #expect(ledger.number(of: record.key) == number) }
  }

  @Test func `a record without a number comes behind the one before it`() {
    let records = records(3)
    var (restored, ledger) = (RestoredRecords(), Ledger())
    for record in records { restored.add(record, to: &ledger) }
    restored.finish(&ledger)
    #expect(Array(ledger.records) == records)
  }
}
