import Entitlements
import Platform
import TestSupport
import Testing

@testable import Storage

/// Watching at its limits: windows that run over, positions that don't exist, and everything at once.
final class WatchLimitTests {
  private let directory: TemporaryDirectory
  private let clock = TestClock(day(1))

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ limits: WatchLimits = WatchLimits(), catalog: Catalog? = .sample) throws -> EntitlementStore {
    let clock = clock
    return try EntitlementStore.open(
      directory.store, settings: Settings(), catalog: catalog, watching: limits, clock: { clock.milliseconds }
    ) { Issue.record("the journal failed: \($0)") }
  }

  private func failure<Result>(_ body: () throws(WatchFailure) -> Result) -> WatchFailure? {
    do throws(WatchFailure) {
      _ = try body()
      return nil
    } catch { return error }
  }

  @Test("A window keeps as much as its limits say, and knows since when")
  func window() {
    struct Item: Kept {
      var position: ChangePosition
      var byteCount = 10
    }
    for limits in [WatchLimits(windowBytes: 100, windowEntries: 1_000), WatchLimits(windowBytes: 1_000, windowEntries: 10)] {
      var window = KeptWindow<Item>(from: ChangePosition(revision: 0, time: 0), limits: limits)
      for number in 1...500 {
        window.append(Item(position: ChangePosition(revision: UInt64(number), time: 0)))
        #expect(window.endNumber == number)
        #expect(window.firstNumber == max(0, number - 10))
        #expect(window.start.revision == UInt64(max(0, number - 10)))
        #expect(window.elements(from: window.firstNumber)?.count == min(number, 10))
        #expect(window.elements(from: window.firstNumber - 1) == nil)
      }
      #expect(window.number(after: ChangePosition(revision: 489, time: 9)) == nil)
      #expect(window.number(after: ChangePosition(revision: 490, time: 0)) == 490)
      #expect(window.number(after: ChangePosition(revision: 495, time: 1)) == 495)
      #expect(window.number(after: ChangePosition(revision: 900, time: 0)) == 500)
      window.append(Item(position: ChangePosition(revision: 501, time: 0), byteCount: 1_001))
      #expect(window.firstNumber == window.endNumber)
    }
  }

  @Test("A calendar gives each customer once, at the moment that was set last", arguments: 1...4 as ClosedRange<UInt64>)
  func calendar(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var calendar = BoundaryCalendar()
    var expected: [CustomerID: Int64] = [:]
    for _ in 0..<20_000 {
      let customer = CustomerID("c\(Int.random(in: 0..<300, using: &random))")
      let moment: Int64? = random.oneIn(5) ? nil : Int64.random(in: 0..<1_000, using: &random)
      calendar.set(moment, of: customer)
      expected[customer] = moment
      #expect(calendar.nextMoment == expected.values.min())
      guard random.oneIn(50), let next = calendar.nextMoment else { continue }
      #expect(calendar.takeNext() == expected.filter { $0.value == next }.keys.sorted())
      expected = expected.filter { $0.value != next }
    }
    while let next = calendar.nextMoment {
      #expect(calendar.takeNext() == expected.filter { $0.value == next }.keys.sorted())
      expected = expected.filter { $0.value != next }
    }
    #expect(expected.isEmpty)
  }

  @Test("A feed that wakes late begins where the first who waits for it does, unless that has gone")
  func lateFeed() throws {
    let store = try open(WatchLimits(windowEntries: 4))
    let start = store.publications.beginning()
    for number in 1...4 { try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)")) }
    let feed = ChangeFeed(store, limits: WatchLimits(windowEntries: 4))
    try feed.advance(from: start)
    var cursor = try feed.follow(from: start, WatchFilter())
    #expect(try feed.groups(&cursor).compactMap(\.changes.first?.customer) == ["c1", "c2", "c3", "c4"])
    try store.record(lifetime("t5"), as: "c5")
    let later = ChangeFeed(store, limits: WatchLimits(windowEntries: 4))
    try later.advance(from: start)
    #expect(
      failure { () throws(WatchFailure) in try later.follow(from: start, WatchFilter()) }
        == .tooOld(oldest: store.publications.start))
  }

  @Test("Whoever had come to the present when publications outran the feed has lost their place, and isn't told a gap")
  func outrunFeed() throws {
    let store = try open(WatchLimits(windowEntries: 4))
    let feed = ChangeFeed(store, limits: WatchLimits(windowEntries: 4))
    try feed.advance()
    var cursor = try feed.follow(from: nil, WatchFilter())
    try store.record(lifetime("t0"), as: "c0")
    try feed.advance()
    #expect(try feed.groups(&cursor).count == 1)
    for number in 1...5 { try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)")) }
    let oldest = ChangePosition(revision: 3, time: day(1).milliseconds)
    #expect(failure { () throws(WatchFailure) in try feed.advance() } == .lost(oldest: oldest))
    try feed.advance()
    #expect(failure { () throws(WatchFailure) in try feed.next(&cursor) } == .lost(oldest: oldest))
    #expect(cursor.position.revision == 2)
  }

  @Test("Whoever lags behind what is kept has lost their place, and nobody else has")
  func slowWatcher() throws {
    let store = try open(WatchLimits(windowEntries: 10))
    let feed = ChangeFeed(store, limits: WatchLimits(windowEntries: 10))
    try feed.advance()
    var (slow, fast) = (try feed.follow(from: nil, WatchFilter()), try feed.follow(from: nil, WatchFilter()))
    for number in 1...11 {
      #expect(failure { () throws(WatchFailure) in try feed.check(slow) } == nil)
      try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)"))
      try feed.advance()
      #expect(try feed.groups(&fast).count == 1)
    }
    let oldest = ChangePosition(revision: 2, time: day(1).milliseconds)
    #expect(failure { () throws(WatchFailure) in try feed.check(slow) } == .lost(oldest: oldest))
    #expect(failure { () throws(WatchFailure) in try feed.next(&slow) } == .lost(oldest: oldest))
    try store.record(lifetime("t12"), as: "c12")
    try feed.advance()
    #expect(try feed.groups(&fast).count == 1)
  }

  @Test("A position that isn't kept any more is refused with the oldest that is, and that one serves")
  func tooOld() throws {
    let store = try open(WatchLimits(windowEntries: 10))
    let feed = ChangeFeed(store)
    let start = feed.position
    for number in 1...15 { try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)")) }
    try feed.advance()
    let oldest = ChangePosition(revision: 6, time: day(1).milliseconds)
    #expect(failure { () throws(WatchFailure) in try feed.follow(from: start, WatchFilter()) } == .tooOld(oldest: oldest))
    var cursor = try feed.follow(from: oldest, WatchFilter())
    #expect(try feed.groups(&cursor).map(\.position.revision) == Array(7...16))
  }

  @Test("A position of the future is refused, but for what a clock may be behind")
  func future() throws {
    let store = try open()
    let feed = ChangeFeed(store)
    try feed.advance()
    let present = feed.position
    func begin(_ revision: UInt64, _ time: Int64) -> WatchFailure? {
      failure { () throws(WatchFailure) in
        try feed.follow(from: ChangePosition(revision: revision, time: present.time + time), WatchFilter())
      }
    }
    #expect(begin(present.revision + 1, 0) == .future(present: present))
    #expect(begin(present.revision, 60_001) == .future(present: present))
    #expect(begin(present.revision, 60_000) == nil)
    #expect(begin(0, 0) == .tooOld(oldest: ChangePosition(revision: present.revision, time: .min)))
  }

  @Test("After a restart a watcher goes on where nothing was recorded since, over what time changed meanwhile")
  func restart() throws {
    let position: ChangePosition
    do {
      let store = try open()
      var month = Transaction(
        transactionID: "t1", productID: "pro.monthly", type: .autoRenewableSubscription, purchaseDate: day(0), signedDate: day(0))
      month.expiresDate = day(30)
      try store.record(month, as: "anna")
      let feed = ChangeFeed(store)
      try feed.advance()
      position = feed.position
      try store.close()
    }
    clock.set(day(31))
    let store = try open(catalog: nil)
    let feed = ChangeFeed(store)
    try feed.advance(to: clock)
    var cursor = try feed.follow(from: position, WatchFilter(entitlements: ["pro"]))
    let groups = try feed.groups(&cursor)
    #expect(groups.map(\.position.time) == [day(30).milliseconds])
    #expect(groups.flatMap(\.changes).map(\.answer.reason) == [.expired])
  }

  @Test("A new catalog is one position in parts, and a watcher who begins between them misses none")
  func catalogInParts() throws {
    let store = try open()
    for number in 1...600 { try store.record(lifetime(Identifier("t\(number)")), as: Identifier("c\(number)")) }
    let feed = ChangeFeed(store)
    try feed.advance()
    let before = feed.position
    var cursor = try feed.follow(from: nil, WatchFilter(entitlements: ["pro", "more"]))
    var catalog = Catalog.sample
    catalog["lifetime"]?.entitlements = ["pro", "more"]
    _ = try store.submitAndWait(.catalog(catalog))
    try feed.advance()
    let steps = try feed.steps(&cursor)
    #expect(steps.count == 4)
    #expect(steps.groups.map(\.changes.count) == [600])
    var late = try feed.follow(from: before, WatchFilter(customers: ["c7"], entitlements: ["more"]))
    let last = try feed.steps(&late)
    #expect(last.groups.flatMap(\.changes).map(\.customer) == ["c7"])
    #expect(last.groups.last?.isWhole == true)
  }

  @Test("What is kept of answers takes no more memory than they need, however long those were that were compiled before")
  func keptRoom() throws {
    let store = try open()
    for number in 0..<100 {
      try store.record(lifetime(Identifier("t\(number)")) { $0.productID = Identifier("product \(number)") }, as: "anna")
    }
    try store.record(lifetime("another"), as: "ben")
    let entries = store.publications.entries(from: store.publications.firstNumber) ?? []
    let (annas, bens) = (entries.dropLast().last?.changes.first?.after ?? [], entries.last?.changes.first?.after ?? [])
    #expect(annas.count > 100 && !bens.isEmpty)
    // What an array is given is rounded up.
    #expect(bens.capacity <= bens.count + 8)
  }

  @Test("What a rebuild corrects is a change of the same revision, at a time of its own")
  func corrections() throws {
    let store = try open()
    try store.record(lifetime("t1"), as: "anna")
    let feed = ChangeFeed(store)
    try feed.advance()
    let before = feed.position
    store.state.withLock { state in
      let changes = [PublishedChange(customer: "anna", before: store.cache.currentWords(of: "anna"), after: nil)]
      store.publications.append(changes, revision: state.revision)
      store.cache.publish([EntitlementCache.Change(customer: "anna", words: nil)], revision: state.revision)
    }
    try store.rebuild(.everyone, isDryRun: false) { _ in true }
    try feed.advance()
    for filter in [WatchFilter(), WatchFilter(customers: ["anna"])] {
      var cursor = try feed.follow(from: before, filter)
      let groups = try feed.groups(&cursor)
      #expect(groups.map(\.position.revision) == [before.revision, before.revision])
      #expect(groups.map(\.position.time) == [before.time + 1, before.time + 2])
      #expect(groups.map { $0.changes.first { $0.entitlement == "pro" }?.answer.reason } == [.unknownCustomer, .purchased])
    }
  }

  @Test("Whoever begins while recordings pour in ends with the answers that the store gives, each change being one")
  func underLoad() throws {
    let store = try open()
    let feed = ChangeFeed(store)
    var history = RandomHistory(seed: 11)
    var watchers: [(cursor: ChangeCursor, answers: [[Identifier]: AccessBlock.Answer])] = []
    let done = AwaitedValue(0)
    for round in 1...60 {
      for _ in 0..<20 {
        clock.advance(byMilliseconds: 2_000_000)
        store.submit(history.input()) { _ in done.update { $0 += 1 } }
      }
      try feed.advance(to: clock)
      watchers.append((try feed.present(WatchFilter()), [:]))
      for index in watchers.indices { try take(feed, &watchers[index]) }
      if round.isMultiple(of: 10) { done.wait { $0 == round * 20 ? () : nil } }
    }
    done.wait { $0 == 1_200 ? () : nil }
    try feed.advance()
    let time = feed.position.time
    let expected = RandomHistory.everyone.flatMap { customer in
      (store.cache.answers(of: customer, at: Moment(milliseconds: time)) ?? []).map { ([customer, $0.entitlement], $0.answer) }
    }
    for index in watchers.indices {
      try take(feed, &watchers[index])
      let allowed = watchers[index].answers.filter(\.value.reason.allows)
      #expect(allowed == Dictionary(uniqueKeysWithValues: expected.filter(\.1.reason.allows)))
    }
  }

  private func take(_ feed: ChangeFeed, _ watcher: inout (cursor: ChangeCursor, answers: [[Identifier]: AccessBlock.Answer]))
    throws
  {
    for step in try feed.steps(&watcher.cursor) {
      switch step {
      case .present(let answers):
        for answer in answers { watcher.answers[[answer.customer, answer.entitlement]] = answer.answer }
      case .changes(let group):
        for change in group.changes {
          let before = watcher.answers.updateValue(change.answer, forKey: [change.customer, change.entitlement])
          if before == change.answer { Issue.record("\(change) changes nothing") }
        }
      case .presentEnd, .nothing: break
      }
    }
  }
}
