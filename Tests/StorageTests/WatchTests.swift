import Entitlements
import Platform
import TestSupport
import Testing

@testable import Storage

/// Changes of answers in their order: against the ledger, from every position, by every way.
final class WatchTests {
  private let directory: TemporaryDirectory
  private let clock = TestClock(day(-2))
  private let store: EntitlementStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try Self.open(directory.store, clock)
  }

  private static func open(_ path: String, _ clock: TestClock, watching: WatchLimits = WatchLimits()) throws -> EntitlementStore {
    try EntitlementStore.open(path, settings: Settings(), catalog: .sample, watching: watching, clock: { clock.milliseconds }) {
      Issue.record("the journal failed: \($0)")
    }
  }

  /// Plays a random history under a feed that is awake, and gives what the feed and what the ledger says.
  private func play(seed: UInt64, inputs: Int = 80, _ feed: ChangeFeed) throws -> (fed: [ChangeGroup], expected: [ChangeGroup]) {
    var history = RandomHistory(seed: seed)
    try feed.advance()
    var cursor = try feed.follow(from: nil, WatchFilter())
    var reference = ReferenceWalk(store.read { ledger, _ in ledger }, at: feed.position)
    var fed: [ChangeGroup] = []
    for _ in 0..<inputs {
      clock.advance(byMilliseconds: Int64.random(in: 0...90_000_000, using: &history.random))
      reference.wait(until: clock.milliseconds)
      _ = try? store.submitAndWait(history.input())
      store.read { ledger, revision in reference.move(to: revision, ledger) }
      try feed.advance(to: clock)
      fed += try feed.groups(&cursor)
    }
    clock.set(day(200))
    reference.wait(until: clock.milliseconds)
    try feed.advance(to: clock)
    fed += try feed.groups(&cursor)
    return (fed, reference.groups)
  }

  @Test("Every change comes once, in order, at its moment: what the ledger says", arguments: 1...12 as ClosedRange<UInt64>)
  func everyChange(seed: UInt64) throws {
    let (fed, expected) = try play(seed: seed, ChangeFeed(store))
    #expect(expected.count > 20)
    #expect(Set(expected.map(\.position)).count == expected.count)
    #expect(fed == expected)
  }

  @Test(
    "From every position the rest follows exactly, from the feed and by a walk of one's own",
    arguments: 1...2 as ClosedRange<UInt64>)
  func everyPosition(seed: UInt64) throws {
    let feed = ChangeFeed(store)
    let start = feed.position
    let (fed, _) = try play(seed: seed, feed)
    let fresh = ChangeFeed(store)
    try fresh.advance()
    for (index, position) in ([start] + fed.map(\.position)).enumerated() {
      for feed in [feed, fresh] {
        var cursor = try feed.follow(from: position, WatchFilter())
        let rest = try feed.groups(&cursor)
        #expect(rest == Array(fed[index...]), "from \(position)")
        #expect(cursor.position == feed.position)
      }
    }
  }

  @Test("A filter gives those changes of all that it names, from every position", arguments: 1...3 as ClosedRange<UInt64>)
  func filters(seed: UInt64) throws {
    let feed = ChangeFeed(store)
    let start = feed.position
    let (fed, _) = try play(seed: seed, feed)
    let fresh = ChangeFeed(store)
    try fresh.advance()
    let filters = [
      WatchFilter(customers: ["anna", "emil", "nobody"]), WatchFilter(entitlements: ["pro"]),
      WatchFilter(customers: ["ben"], entitlements: ["plus", "season"]), WatchFilter(customers: ["nobody"]),
    ]
    for filter in filters {
      let watched = fed.map { ChangeGroup(position: $0.position, changes: filter.watched($0.changes)) }
      for (index, position) in ([start] + fed.map(\.position)).enumerated() {
        for feed in [feed, fresh] {
          var cursor = try feed.follow(from: position, filter)
          #expect(try feed.groups(&cursor) == watched[index...].filter { !$0.changes.isEmpty })
        }
      }
    }
  }

  @Test("A position between two changes is as good as the one before it")
  func betweenPositions() throws {
    let feed = ChangeFeed(store)
    let (fed, _) = try play(seed: 5, feed)
    let fresh = ChangeFeed(store)
    try fresh.advance()
    for (index, group) in fed.enumerated().dropLast() where fed[index + 1].position.time > group.position.time + 1 {
      for feed in [feed, fresh] {
        var cursor = try feed.follow(
          from: ChangePosition(revision: group.position.revision, time: group.position.time + 1), WatchFilter())
        #expect(try feed.groups(&cursor) == Array(fed[(index + 1)...]))
      }
    }
  }

  @Test("The present answers are the allowed ones, and what changes follows them without a gap")
  func presentFirst() throws {
    let feed = ChangeFeed(store)
    var history = RandomHistory(seed: 9)
    for _ in 0..<100 { _ = try? store.submitAndWait(history.input()) }
    clock.set(day(20))
    try feed.advance(to: clock)
    let position = feed.position
    var cursor = try feed.present(WatchFilter())
    // One that comes while the answers are being told belongs behind them.
    var steps = [try #require(try feed.next(&cursor))]
    try store.record(lifetime("t999"), as: "zoe")
    try feed.advance()
    steps += try feed.steps(&cursor)
    let end = try #require(steps.firstIndex(of: .presentEnd))
    let present = steps[..<end].flatMap { step in if case .present(let answers) = step { answers } else { [AnswerChange]() } }
    let expected = store.read { ledger, _ in
      RandomHistory.everyone.flatMap { customer in
        (ledger.access(of: customer)?.timelines ?? []).compactMap { timeline -> AnswerChange? in
          let decision = timeline.timeline.decision(at: Moment(milliseconds: position.time))
          guard decision.isAllowed else { return nil }
          return AnswerChange(customer: customer, entitlement: timeline.entitlement, answer: AccessBlock.Answer(decision))
        }
      }
    }
    #expect(!expected.isEmpty)
    #expect(Set(present) == Set(expected) && present.count == expected.count)
    #expect(Array(steps[end...].dropFirst()).groups.map { Set($0.changes.map(\.customer)) } == [["zoe"]])
  }

  @Test("A renewal that only moves the end, and a change of the owner, are changes")
  func otherEnds() throws {
    func month(_ id: Identifier, _ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
      var transaction = Transaction(
        transactionID: id, originalTransactionID: "o", productID: "pro.monthly", type: .autoRenewableSubscription,
        purchaseDate: day(0), signedDate: day(0))
      transaction.expiresDate = day(30)
      change(&transaction)
      return transaction
    }
    clock.set(day(1))
    let feed = ChangeFeed(store)
    try feed.advance(to: clock)
    var cursor = try feed.follow(from: nil, WatchFilter(entitlements: ["pro"]))
    try store.record(month("t1"), as: "anna")
    try store.record(month("t1") { ($0.expiresDate, $0.signedDate) = (day(40), day(1)) }, as: "anna")
    try store.record(lifetime("t2") { $0.ownership = .familyShared }, as: "anna")
    clock.set(day(100))
    try feed.advance(to: clock)
    let answers = try feed.groups(&cursor).flatMap(\.changes).map(\.answer)
    #expect(
      answers == [
        .init(reason: .purchased, ownership: 1, validUntil: day(30).milliseconds),
        .init(reason: .purchased, ownership: 1, validUntil: day(40).milliseconds),
        .init(reason: .familyShared, ownership: 2, validUntil: .max),
      ])
  }

  @Test("A clock that is set back repeats nothing, and positions go on growing")
  func clockSetBack() throws {
    let feed = ChangeFeed(store)
    let (fed, _) = try play(seed: 7, feed)
    var cursor = try feed.follow(from: nil, WatchFilter())
    clock.set(day(0))
    try feed.advance(to: clock)
    try store.record(lifetime("t999"), as: "zoe")
    try feed.advance()
    let later = try feed.groups(&cursor)
    #expect(later.count == 1)
    #expect(try later[0].position > #require(fed.last).position)
    #expect(later[0].position.time == day(200).milliseconds)
  }
}
