import Entitlements
import Journaling
import Platform
import TestSupport
import Testing

@testable import Storage

/// Resuming from before what memory keeps: by the kept journal, compared with what the ledger says and with a watcher that was there.
final class ReplayedWatchTests {
  private let directory: TemporaryDirectory
  private let clock = TestClock(day(-2))

  init() throws { directory = try TemporaryDirectory() }

  private func open(
    settings: Settings = Settings(), watching: WatchLimits = WatchLimits(), keptSeconds: Int64 = 86_400,
    segmentBytes: Int = 8 << 10, clock: (@Sendable () -> Int64)? = nil
  ) throws -> EntitlementStore {
    let own = self.clock
    return try EntitlementStore.open(
      directory.store, settings: settings, catalog: .sample,
      options: JournalOptions(segmentBytes: segmentBytes, keptSeconds: keptSeconds), watching: watching,
      clock: clock ?? { own.milliseconds }
    ) { Issue.record("the journal failed: \($0)") }
  }

  /// Plays a random history, with a snapshot now and then, and notes what the ledger says.
  private func play(
    _ history: inout RandomHistory, inputs: Int, _ store: EntitlementStore, _ reference: inout ReferenceWalk
  ) throws {
    for _ in 0..<inputs {
      clock.advance(byMilliseconds: Int64.random(in: 0...90_000_000, using: &history.random))
      reference.wait(until: clock.milliseconds)
      _ = try? store.submitAndWait(history.input())
      store.read { ledger, revision in reference.move(to: revision, ledger) }
      if history.random.oneIn(20) { _ = try store.takeSnapshot() }
    }
  }

  /// All that follows a position: by the journal, and from where that ends by memory.
  private func rest(
    after position: ChangePosition, _ filter: WatchFilter, _ store: EntitlementStore, _ feed: ChangeFeed
  ) throws -> [ChangeGroup] {
    var steps: [WatchStep] = []
    let reached = try store.replayChanges(after: position, of: filter.customers) { group in
      steps.append(.changes(filter.watched(group)))
    }
    var cursor = try feed.goOn(fromReplayed: try #require(reached), filter)
    return (steps.groups + (try feed.groups(&cursor))).filter { !$0.changes.isEmpty }
  }

  /// Plays a random history in a store that is closed then.
  private func firstLife(_ history: inout RandomHistory) throws -> (start: ChangePosition, reference: ReferenceWalk) {
    let store = try open()
    let start = ChangePosition(revision: store.revision, time: clock.milliseconds)
    var reference = ReferenceWalk(store.read { ledger, _ in ledger }, at: start)
    try play(&history, inputs: 70, store, &reference)
    try store.close()
    return (start, reference)
  }

  @Test(
    "After a restart the rest follows every position exactly, over recordings, expiries, catalogs, settings, grants, moves and erasures",
    arguments: 1...4 as ClosedRange<UInt64>)
  func everyPosition(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    let life = try firstLife(&history)
    let start = life.start
    var reference = life.reference
    // The start itself journals other settings, and what time changed before them comes first.
    clock.advance(byMilliseconds: 40_000_000)
    reference.wait(until: clock.milliseconds)
    let store = try open(settings: history.settings())
    store.read { ledger, revision in reference.move(to: revision, ledger) }
    let feed = ChangeFeed(store)
    try feed.advance(to: clock)
    try play(&history, inputs: 10, store, &reference)
    clock.set(day(200))
    reference.wait(until: clock.milliseconds)
    try feed.advance(to: clock)
    #expect(reference.groups.count > 20)
    for filter in [WatchFilter(), WatchFilter(customers: ["anna", "emil", "nobody"]), WatchFilter(entitlements: ["pro"])] {
      let expected = reference.groups.map { ChangeGroup(position: $0.position, changes: filter.watched($0.changes)) }
      for (index, position) in ([start] + expected.map(\.position)).enumerated() {
        let rest = try rest(after: position, filter, store, feed)
        #expect(rest == expected[index...].filter { !$0.changes.isEmpty }, "from \(position)")
      }
    }
    try store.close()
  }

  @Test("From the position at the very beginning everything is told that ever changed")
  func beginning() throws {
    let store = try open()
    for number in 1...5 { try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)")) }
    let oldest = try store.oldestKeptPosition()
    #expect(oldest == ChangePosition(revision: 0, time: 0))
    let feed = ChangeFeed(store)
    try feed.advance()
    let rest = try rest(after: oldest, WatchFilter(entitlements: ["pro"]), store, feed)
    #expect(rest.flatMap(\.changes).map(\.customer) == (1...5).map { CustomerID("c\($0)") })
    try store.close()
  }

  @Test("The journal holds the very time of a publication, whatever the clock does meanwhile")
  func times() throws {
    let ticks = Guarded<Int64>(day(1).milliseconds)
    let ticking: @Sendable () -> Int64 = {
      ticks.withLock { ticks in
        ticks += 7
        return ticks
      }
    }
    let store = try open(clock: ticking)
    let feed = ChangeFeed(store)
    try feed.advance()
    let start = feed.position
    var cursor = try feed.follow(from: start, WatchFilter())
    var month = lifetime("m") { ($0.productID, $0.type) = ("pro.monthly", .autoRenewableSubscription) }
    for number in 1...50 {
      month.signedDate = day(Int64(number))
      month.expiresDate = Moment(milliseconds: ticks.withLock { $0 } + Int64(number % 9))
      store.submit(.recording(recording(month, as: "anna"))) { _ in }
      try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)"))
      try feed.advance()
    }
    let live = try feed.groups(&cursor)
    #expect(live.count > 60)
    var replayed: [WatchStep] = []
    _ = try store.replayChanges(after: start, of: nil) { replayed.append(.changes($0)) }
    #expect(replayed.groups == Array(live.prefix(replayed.count)))
    #expect(replayed.groups.last?.position.revision == store.revision)
    try store.close()
  }

  @Test("A watcher from before the window goes on over what a rebuild corrected within it")
  func correction() throws {
    clock.set(day(1))
    let store = try open(watching: WatchLimits(windowEntries: 4))
    let feed = ChangeFeed(store, limits: WatchLimits(windowEntries: 4))
    try feed.advance(to: clock)
    let start = feed.position
    for number in 1...6 { try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)")) }
    // Wrong answers, which those who watch are told of, and then the right ones.
    store.state.withLock { state in
      let change = PublishedChange(customer: "c6", before: store.cache.currentWords(of: "c6"), after: nil)
      store.publications.append([change], revision: state.revision)
      store.cache.publish([EntitlementCache.Change(change)], revision: state.revision)
    }
    try store.rebuild(.everyone, isDryRun: false) { _ in true }
    // What went by too fast for the feed is no matter: it begins anew.
    #expect(throws: WatchFailure.self) { try feed.advance() }
    try feed.advance()
    #expect(throws: WatchFailure.self) { try feed.follow(from: start, WatchFilter()) }
    let rest = try rest(after: start, WatchFilter(entitlements: ["pro"]), store, feed)
    #expect(rest.flatMap(\.changes).map(\.customer) == (1...6).map { CustomerID("c\($0)") } + ["c6", "c6"])
    #expect(rest.suffix(2).flatMap(\.changes).map(\.answer.reason) == [.unknownCustomer, .purchased])
    try store.close()
  }

  @Test("What snapshots let go of is refused, and the oldest position that is named serves")
  func oldest() throws {
    let store = try open(keptSeconds: 0, segmentBytes: 1 << 10)
    let feed = ChangeFeed(store)
    for number in 1...40 {
      try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)"))
      if number.isMultiple(of: 10) { _ = try store.takeSnapshot() }
    }
    try feed.advance()
    let oldest = try store.oldestKeptPosition()
    #expect(oldest.revision > 10)
    let before = ChangePosition(revision: oldest.revision - 1, time: 0)
    #expect(try store.replayChanges(after: before, of: nil) { _ in } == nil)
    let rest = try rest(after: oldest, WatchFilter(), store, feed)
    #expect(rest.map(\.position.revision) == Array(oldest.revision + 1...store.revision))
    try store.close()
  }

  @Test("A replay that nobody wants any more ends, and so does one of a store that closes")
  func givenUp() throws {
    let store = try open()
    for number in 1...5 { try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)")) }
    let start = ChangePosition(revision: 0, time: 0)
    #expect(
      failure { try store.replayChanges(after: start, of: nil, turns: Turns(isGivenUp: { true })) { _ in } } == .givenUp)
    #expect(failure { try store.replayChanges(after: start, of: nil) { _ throws(StoreError) in throw .givenUp } } == .givenUp)
    try store.close()
    #expect(failure { try store.replayChanges(after: start, of: nil) { _ in } } == .closed)
  }

  @Test("A catalog that concerns many is replayed in parts of one position")
  func parts() throws {
    let store = try open()
    for number in 1...600 {
      store.submit(.recording(recording(lifetime(Identifier("t\(number)")), as: CustomerID("c\(number)")))) { _ in }
    }
    let before = ChangePosition(revision: try store.record(lifetime("t0"), as: "c0").revision, time: clock.milliseconds)
    var catalog = Catalog.sample
    catalog["lifetime"]?.entitlements = ["pro", "more"]
    _ = try store.submitAndWait(.catalog(catalog))
    var groups: [ChangeGroup] = []
    _ = try store.replayChanges(after: before, of: nil) { groups.append($0) }
    #expect(groups.count > 2 && groups.dropLast().allSatisfy { !$0.isWhole } && groups.last?.isWhole == true)
    #expect(groups.map(\.changes.count).max() ?? 0 < 512)
    #expect(Set(groups.flatMap(\.changes).map(\.customer)).count == 601)
    try store.close()
  }
}
