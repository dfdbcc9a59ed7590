import Entitlements
import Testing

@testable import Storage

struct SnapshotScheduleTests {
  private static let second: UInt64 = 1_000_000_000

  private func schedule(afterBytes: UInt64 = 0, everySeconds: Int64 = 0) -> SnapshotSchedule {
    SnapshotSchedule(afterBytes: afterBytes, everySeconds: everySeconds, newest: nil, now: 5 * Self.second)
  }

  @Test(
    "A snapshot is due with so many bytes in the journal since the last one", arguments: [(99, false), (100, true), (101, true)])
  func bytes(bytes: UInt64, isDue: Bool) {
    let schedule = schedule(afterBytes: 100)
    #expect(schedule.isDue(bytes: bytes, now: 5 * Self.second) == isDue)
  }

  @Test(
    "A snapshot is due after so long if anything was recorded",
    arguments: [(14, 1, false), (15, 1, true), (15, 0, false), (900, 0, false)])
  func time(second: UInt64, bytes: UInt64, isDue: Bool) {
    let schedule = schedule(everySeconds: 10)
    #expect(schedule.isDue(bytes: bytes, now: second * Self.second) == isDue)
  }

  @Test("Zero turns either reason off")
  func off() {
    let schedule = schedule()
    #expect(!schedule.isDue(bytes: .max, now: .max))
  }

  @Test("An interval of any length is taken")
  func longest() {
    let schedule = schedule(everySeconds: .max)
    #expect(!schedule.isDue(bytes: 1, now: .max - 1))
  }

  @Test("The time runs from the newest snapshot, whoever asked for it")
  func others() {
    var schedule = schedule(everySeconds: 10)
    schedule.note(newest: 7, now: 14 * Self.second)
    schedule.note(newest: 7, now: 20 * Self.second)
    #expect(!schedule.isDue(bytes: 1, now: 23 * Self.second))
    #expect(schedule.isDue(bytes: 1, now: 24 * Self.second))
  }

  @Test("After a failure it is tried again a minute later, or at once when another snapshot was taken")
  func failure() {
    var schedule = schedule(afterBytes: 1)
    schedule.noteFailure(now: 10 * Self.second)
    #expect(!schedule.isDue(bytes: 9, now: 70 * Self.second - 1))
    #expect(schedule.isDue(bytes: 9, now: 70 * Self.second))
    schedule.noteFailure(now: 80 * Self.second)
    schedule.note(newest: 3, now: 81 * Self.second)
    #expect(schedule.isDue(bytes: 9, now: 81 * Self.second))
  }

  @Test("A store takes a snapshot when it is due, and counts the bytes from then on anew, over a restart too")
  func store() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    var reports: [String] = []
    var schedule = SnapshotSchedule(afterBytes: 400, everySeconds: 0, newest: nil, now: 0)
    func ask(_ store: EntitlementStore) { store.takeSnapshot(by: &schedule, now: { 0 }) { reports.append($0) } }
    var number = 0
    while reports.isEmpty {
      number += 1
      try store.record(lifetime(Identifier("\(number)")), as: "anna")
      ask(store)
    }
    #expect(number > 2)
    #expect(store.newestSnapshotRevision == store.revision)
    ask(store)
    try store.record(lifetime("more"), as: "anna")
    ask(store)
    #expect(reports.count == 1)
    for more in 0..<number { try store.record(lifetime(Identifier("more \(more)")), as: "anna") }
    let reopened = try openStore(try directory.copy(of: directory.store))
    ask(reopened)
    #expect(reports.count == 2 && reports[1].contains("revision \(reopened.revision)"))
  }

  @Test("A snapshot that fails is reported, and taken when it is tried again")
  func failingStore() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    var reports: [String] = []
    var schedule = SnapshotSchedule(afterBytes: 1, everySeconds: 0, newest: nil, now: 0)
    func ask(atSecond second: UInt64) { store.takeSnapshot(by: &schedule, now: { second * Self.second }) { reports.append($0) } }
    try directory.blockingSnapshot(of: store.revision) { ask(atSecond: 1) }
    #expect(reports.count == 1 && reports[0].contains("nothing is lost"))
    ask(atSecond: 60)
    #expect(store.newestSnapshotRevision == nil)
    ask(atSecond: 61)
    #expect(store.newestSnapshotRevision == store.revision)
    #expect(reports.count == 2)
  }
}
