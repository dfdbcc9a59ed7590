import Entitlements
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// An hour in milliseconds.
private let hour: Int64 = 3_600_000

/// Some milliseconds after the midnight of a day.
private func day(_ number: Int64, plus milliseconds: Int64) -> Moment {
  Moment(milliseconds: day(number).milliseconds + milliseconds)
}

extension EntitlementStore {
  /// Checks in one turn, as a connection does: as often as said, about a moment, at another moment.
  fileprivate func check(
    _ customer: CustomerID, _ entitlement: Identifier = "pro", times count: Int = 1, about moment: Moment? = nil, at now: Moment
  ) {
    var reader = CheckReader(cache)
    let input = Array((customer.text + entitlement.text).utf8)
    let length = customer.text.utf8.count
    for _ in 0..<count {
      reader.add(
        tag: 0, customer: 0..<length, entitlement: length..<input.count, at: (moment ?? now).milliseconds,
        in: unsafe input.span.bytes)
    }
    _ = reader.answer(in: unsafe input.span.bytes, now: now.milliseconds)
  }

  fileprivate func total(_ customer: CustomerID, _ entitlement: Identifier = "pro") -> Int64 {
    cache.usage(of: customer, entitlement).total
  }

  /// Records a refund of `lifetime`, as received on some moment.
  fileprivate func refund(_ id: Identifier, at date: Moment, receivedAt: Moment) throws(StoreError) {
    let version = lifetime(id) { ($0.revocationDate, $0.signedDate) = (date, date) }
    let recording = Recording(rows: [.init(transaction: version)], receivedAt: receivedAt)
    _ = try submitAndWait(.recording(recording), evaluateAt: receivedAt)
  }

  fileprivate func lateChecks(of id: Identifier) -> CheckCount? {
    readState { $0.lateChecks(of: ScopedID(.production, id)) }
  }
}

struct UsageTests {
  @Test("An allowed check about the present is counted, by customer and entitlement; any other isn't")
  func counted() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    try store.record(lifetime("2") { $0.revocationDate = day(1) }, as: "ben")
    store.check("anna", times: 3, at: day(5))
    store.check("anna", "lifetime", at: day(5))
    store.check("anna", about: day(4), at: day(5))
    store.check("anna", "nothing", at: day(5))
    store.check("ben", at: day(5))
    store.check("nobody", at: day(5))
    #expect(store.total("anna") == 3)
    #expect(store.total("anna", "lifetime") == 1)
    #expect(store.total("anna", "nothing") == 0)
    #expect(store.total("ben") == 0)
    #expect(store.total("nobody") == 0)
  }

  @Test("What was counted in an hour moves on to its day, its week, and all before")
  func buckets() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    // 2026-01-08 begins a week of those that are counted from 1970-01-01, a Thursday.
    let week = day(7)
    for (count, moment) in [
      (1, day(3)), (2, week), (4, day(8)), (8, day(8, plus: hour)), (16, day(8, plus: hour * 2)),
      (32, day(8, plus: hour * 2 + 1)),
    ] { store.check("anna", times: count, at: moment) }
    func at(_ moment: Moment) -> Int64 { moment.milliseconds / hour }
    #expect(
      store.cache.usage(of: "anna", "pro")
        == Usage(buckets: [
          .init(newestHour: at(day(8)) + 2, checks: 48), .init(newestHour: at(day(8)) + 1, checks: 12),
          .init(newestHour: at(week), checks: 2), .init(newestHour: at(day(3)), checks: 1),
        ]))
  }

  @Test("Counts add up at any times, even where the clock goes back", arguments: 1...8 as ClosedRange<UInt64>)
  func sums(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    var random = SeededRandom(seed: seed)
    var expected: Int64 = 0
    for step in 0..<300 as Range<Int64> {
      let count = Int.random(in: 1...5, using: &random)
      let moment = day(2 + step / 10, plus: Int64.random(in: -30...30, using: &random) * hour)
      store.check("anna", times: count, at: moment)
      expected += Int64(count)
      #expect(store.total("anna") == expected)
    }
  }

  @Test("New answers take the counts over, whatever else they change")
  func republished() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    store.check("anna", times: 5, at: day(5))
    let before = store.cache.usage(of: "anna", "pro")
    try store.record(lifetime("2") { $0.productID = "coins.100" }, as: "anna")
    try store.refund("1", at: day(6), receivedAt: day(6))
    #expect(store.cache.usage(of: "anna", "pro") == before)
    #expect(store.answer("anna", at: day(7)).reason == .refunded)
    _ = try store.submitAndWait(.catalog(Catalog(products: ["lifetime": .init(entitlements: ["gold", "pro"])])))
    #expect(store.cache.usage(of: "anna", "pro") == before)
    #expect(store.total("anna", "gold") == 0)
  }

  @Test("A rebuild finds nothing wrong with what was counted in, and keeps it")
  func rebuilt() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    store.check("anna", times: 5, at: day(5))
    var corrections = 0
    try store.rebuild(.everyone, isDryRun: false) { step in
      corrections += step.corrections.count
      return true
    }
    #expect(corrections == 0)
    #expect(store.total("anna") == 5)
  }

  @Test("No count is lost while answers are replaced and hours begin under the readers' eyes")
  func threads() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    let ended = AwaitedValue(0)
    for seed in 1...3 as ClosedRange<UInt64> {
      _ = try Thread(named: "reader") {
        var random = SeededRandom(seed: seed)
        for turn in 0..<2_000 as Range<Int64> {
          store.check("anna", at: day(1, plus: turn / 20 * hour + Int64.random(in: 0..<hour, using: &random)))
        }
        ended.update { $0 += 1 }
      }
    }
    for number in 2..<400 {
      try store.record(lifetime(Identifier("\(number)")) { $0.expiresDate = day(Int64(number)) }, as: "anna")
    }
    ended.wait { $0 == 3 ? () : nil }
    // What was counted in a block that was replaced comes over when that is freed, with some that are replaced after it.
    for number in 400..<600 { try store.record(lifetime(Identifier("\(number)")), as: CustomerID("other \(number)")) }
    for number in 400..<600 {
      try store.record(lifetime(Identifier("\(number)")) { ($0.revocationDate, $0.signedDate) = (day(1), day(1)) })
    }
    #expect(store.total("anna") == 6_000)
  }

  @Test("The revision that an orderly end makes for counts says when it was recorded, as every other does")
  func revisionForCounts() throws {
    let directory = try TemporaryDirectory()
    func useOnce() throws -> UInt64 {
      let store = try openStore(directory.store)
      try store.record(lifetime("1"), as: "anna")
      try store.takeSnapshot()
      store.check("anna", at: day(5))
      defer { _ = try? store.close() }
      return store.revision
    }
    let revision = try useOnce()
    let again = try openStore(directory.store)
    #expect(again.revision == revision + 1)
    var moments: [Moment] = []
    let history = KeptHistory(store: again, base: 0, last: again.revision, turns: Turns())
    try history.read(entry: { _ in }, input: { _, recordedAt, _ in moments.append(recordedAt) })
    #expect(moments.count == Int(again.revision))
    #expect(moments.allSatisfy { $0.milliseconds > 0 })
  }
}

struct UsageKeepingTests {
  @Test("Counts survive a snapshot and a restart, and those of a clean end without a recording too")
  func restarts() throws {
    let directory = try TemporaryDirectory()
    var store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    store.check("anna", times: 5, at: day(5))
    _ = try store.takeSnapshot()
    store.check("anna", times: 2, at: day(5, plus: hour))
    let counted = store.cache.usage(of: "anna", "pro")
    let crashed = try openStore(try directory.copy(of: directory.store))
    #expect(crashed.total("anna") == 5)
    try store.close()
    let revision = store.revision
    store = try openStore(try directory.copy(of: directory.store))
    #expect(store.cache.usage(of: "anna", "pro") == counted)
    #expect(store.revision == revision)
    try store.close()
    #expect(store.revision == revision, "a clean end without new counts makes no revision")
  }

  @Test("What came too late is counted in the moment of the recording, and kept by snapshots")
  func late() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    try store.record(
      lifetime("2") { $0.ownership = .familyShared }, as: "kid", sharedFrom: ["1"])
    store.check("anna", times: 3, at: day(9, plus: hour))
    store.check("anna", times: 4, at: day(10, plus: hour))
    store.check("kid", times: 5, at: day(10, plus: hour * 2))
    try store.refund("1", at: day(10), receivedAt: day(10, plus: hour * 3))
    #expect(store.lateChecks(of: "1") == CheckCount(checks: 9))
    #expect(store.lateChecks(of: "2") == nil)
    store.check("anna", times: 7, at: day(11))
    #expect(store.total("anna") == 7)
    let crashed = try openStore(try directory.copy(of: directory.store))
    #expect(crashed.lateChecks(of: "1") == nil)
    try store.close()
    let reopened = try openStore(try directory.copy(of: directory.store))
    #expect(reopened.lateChecks(of: "1") == CheckCount(checks: 9))
  }

  @Test("A revocation inside an hour with checks has an upper bound")
  func bound() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    store.check("anna", times: 3, at: day(10, plus: 1))
    store.check("anna", times: 4, at: day(10, plus: hour - 1))
    try store.refund("1", at: day(10, plus: 5), receivedAt: day(11))
    #expect(store.lateChecks(of: "1") == CheckCount(checks: 7, isExact: false))
  }

  @Test("A replay keeps when a revocation was first recorded")
  func replay() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    try store.refund("1", at: day(5), receivedAt: day(6))
    try store.refund("1", at: day(5), receivedAt: day(7))
    func recorded(_ store: EntitlementStore) -> Moment? { store.read { ledger, _ in ledger.records[0].revocationRecordedAt } }
    #expect(recorded(store) == day(6))
    #expect(recorded(try openStore(try directory.copy(of: directory.store))) == day(6))
    try store.close()
    let reopened = try openStore(try directory.copy(of: directory.store))
    #expect(reopened.recovery.snapshotRevision != nil)
    #expect(recorded(reopened) == day(6))
  }
}

struct WalkTests {
  /// More records than a few slices have.
  private static let count = 5_000

  private func filledStore(_ path: String) throws -> EntitlementStore {
    let store = try openStore(path)
    let rows = (0..<Self.count).map { Recording.Row(transaction: lifetime(Identifier("\($0)"))) }
    for start in stride(from: 0, to: Self.count, by: 100) {
      _ = try store.submitAndWait(.recording(Recording(rows: Array(rows[start..<start + 100]), receivedAt: day(1))))
    }
    return store
  }

  @Test("A walk looks at every record once, and lets recordings in between its slices")
  func walk() throws {
    let directory = try TemporaryDirectory()
    let store = try filledStore(directory.store)
    let revision = store.revision
    var seen: [RecordNumber] = []
    let first = store.walkRecords(while: {
      (try? store.record(lifetime(Identifier("late \(seen.count)")), as: "anna")) != nil
    }) { number, _ in seen.append(number) }
    #expect(first == revision)
    #expect(seen == Array(0..<seen.count))
    #expect(seen.count >= Self.count)
    #expect(store.revision > revision)
  }

  @Test("A walk that nobody wants any more is given up")
  func unwanted() throws {
    let directory = try TemporaryDirectory()
    let store = try filledStore(directory.store)
    var count = 0
    #expect(store.walkRecords(while: { false }) { _, _ in count += 1 } == nil)
    #expect(count < Self.count)
  }

  @Test("A store without records is walked at once")
  func empty() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    #expect(store.walkRecords(while: { false }) { _, _ in } == store.revision)
  }
}
