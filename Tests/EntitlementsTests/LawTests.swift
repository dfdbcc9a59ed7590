import Entitlements
import TestSupport
import Testing

/// What holds of every history, tried on thousands that are drawn by chance.
struct LawTests {
  static let seeds: Range<UInt64> = 0..<12
  static let historiesASeed: UInt64 = 100

  private func histories(_ seed: UInt64) -> [RandomHistory] {
    (0..<LawTests.historiesASeed).map { RandomHistory(seed: seed * LawTests.historiesASeed + $0) }
  }

  private func accesses(_ ledger: Ledger) -> [CustomerAccess?] { RandomHistory.customers.map { ledger.access(of: $0) } }

  @Test(arguments: seeds)
  func `a recording changes what it says, is refused as a whole, and is safe to send twice`(seed: UInt64) throws {
    for var history in histories(seed) {
      var ledger = history.ledger()
      for _ in 0..<14 {
        try expectGrantingIsSafe(history.granting(), in: &ledger)
        let recording = history.recording()
        try recording.validate()
        let before = ledger
        let announced = Result { () throws(Refusal) in try ledger.changes(by: recording) }
        let recorded = Result { () throws(Refusal) in try ledger.record(recording) }
        switch (announced, recorded) {
        case (.success(let changes), .success(let recorded)):
          #expect(changes || ledger.contents == before.contents)
          expectAffected(Set(recorded.affected), before: before, after: ledger)
          // Of several rows a later one may move between the sets of an earlier one; Apple's never do.
          if recording.rows.count < 2 { try expectSafeTwice(recording, in: ledger) }
        case (.failure(let one), .failure(let other)):
          #expect(one == other)
          #expect(ledger.contents == before.contents)
        default: Issue.record("\(announced) was announced, \(recorded) came")
        }
      }
    }
  }

  private func expectGrantingIsSafe(_ granting: Granting, in ledger: inout Ledger) throws {
    try granting.validate()
    let before = ledger
    let announced = Result { () throws(Refusal) in try ledger.changes(by: granting) }
    switch (announced, Result { () throws(Refusal) in try ledger.grant(granting) }) {
    case (.success(let changes), .success(let recorded)):
      #expect(changes == (ledger.contents != before.contents))
      #expect(recorded.outcome == (changes ? .applied : .duplicate))
      expectAffected(Set(recorded.affected), before: before, after: ledger)
      let once = ledger.contents
      #expect(try ledger.grant(granting).outcome == .duplicate)
      #expect(ledger.contents == once)
    case (.failure(let one), .failure(let other)):
      #expect(one == other)
      #expect(ledger.contents == before.contents)
    case (let announced, let recorded): Issue.record("\(announced) was announced, \(recorded) came")
    }
  }

  private func expectAffected(_ affected: Set<CustomerID>, before: Ledger, after: Ledger) {
    for customer in RandomHistory.customers where !affected.contains(customer) {
      #expect(before.access(of: customer) == after.access(of: customer))
    }
  }

  private func expectSafeTwice(_ recording: Recording, in once: Ledger) throws {
    var twice = once
    #expect(try !twice.changes(by: recording))
    let again = try twice.record(recording)
    #expect(twice.contents == once.contents)
    #expect([.duplicate, .stale, .heldByAnother, .ignored].contains(again.outcome))
  }

  @Test(arguments: seeds)
  func `a recording of several rows is safe to send twice`(seed: UInt64) throws {
    for var history in histories(seed) {
      var ledger = history.ledger()
      for _ in 0..<8 {
        let recording = history.settledRecording()
        guard (try? ledger.record(recording)) != nil else { continue }
        try expectSafeTwice(recording, in: ledger)
      }
    }
  }

  @Test(arguments: seeds)
  func `any order of recordings that name their customers gives the same answers and reports`(seed: UInt64) throws {
    for (index, var history) in histories(seed).enumerated() {
      let empty = history.ledger()
      let isOfOne = index % 3 == 0
      let recordings = (0..<12).map { _ in isOfOne ? history.recordingOfOne() : history.settledRecording() }
      let first = replay(recordings, on: empty)
      for _ in 0..<3 {
        let other = replay((recordings + recordings.prefix(3)).shuffled(using: &history.random), on: empty)
        #expect(accesses(other) == accesses(first))
        #expect(timeless(other.refundReport()) == timeless(first.refundReport()))
      }
    }
  }

  /// A report without the lag, which is about when each recording came.
  private func timeless(_ report: RefundReport) -> RefundReport {
    var report = report
    report.lag = Lag()
    return report
  }

  /// The ledger after these recordings, those left out that are refused.
  private func replay(_ recordings: [Recording], on empty: Ledger) -> Ledger {
    var ledger = empty
    for recording in recordings { _ = try? ledger.record(recording) }
    return ledger
  }

  @Test(arguments: seeds)
  func `a timeline answers as the rule does, at every boundary and a millisecond either side`(seed: UInt64) {
    for var history in histories(seed) {
      var ledger = history.ledger()
      for _ in 0..<14 {
        _ = try? ledger.record(history.recording())
        _ = try? ledger.grant(history.granting())
      }
      let all =
        ledger.records.indices.map { AccessGround.transaction(ledger.access(by: $0)) }
        + ledger.grants.values.joined().map { .grant($0.access) }
      expectTimeline(of: all.filter { _ in history.random.oneIn(2) })
      for ground in all { expectTimeline(of: [ground]) }
      expectTimeline(of: [])
    }
  }

  private func expectTimeline(of grounds: [AccessGround]) {
    let timeline = EntitlementFold.timeline(of: grounds)
    let boundaries = Set(grounds.flatMap(\.boundaries)).flatMap { boundary in
      [-1, 0, 1].map { Moment(milliseconds: boundary.milliseconds + $0) }
    }
    for moment in boundaries + [.distantPast, Moment(milliseconds: .max - 1)] {
      #expect(timeline.decision(at: moment) == EntitlementFold.decision(of: grounds, at: moment))
    }
    for (earlier, later) in zip(timeline.segments, timeline.segments.dropFirst()) {
      #expect(earlier.from < later.from)
      #expect(earlier.decision != later.decision)
    }
  }

  @Test(arguments: seeds)
  func `an explanation grants where the answer does, and holds at the moment it is asked for`(seed: UInt64) {
    for var history in histories(seed) {
      var ledger = history.ledger()
      for _ in 0..<8 {
        _ = try? ledger.record(history.recording())
        if history.random.oneIn(4) { _ = try? ledger.grant(history.granting()) }
      }
      for customer in RandomHistory.customers {
        let (entitlement, moment) = (history.pick(RandomHistory.entitlements), history.pick(RandomHistory.moments))
        let explanations = ledger.explain(customer, entitlement: entitlement, at: moment)
        let given = ledger.explainGrants(of: customer, entitlement: entitlement, at: moment)
        let isGranted = explanations.contains(where: \.grants) || given.contains(where: \.grants)
        #expect(isGranted == ledger.decision(customer, entitlement, at: moment).isAllowed)
        for explanation in explanations {
          #expect(explanation.since ?? moment <= moment)
          #expect(explanation.until ?? .distantFuture > moment)
          #expect(explanation.sentence.isEmpty == false)
        }
        for explanation in given {
          #expect(explanation.since ?? moment <= moment)
          #expect(explanation.until ?? .distantFuture > moment)
        }
      }
    }
  }

  @Test(arguments: seeds)
  func `a ledger that was put back from its records answers and goes on the same`(seed: UInt64) throws {
    for var history in histories(seed) {
      var ledger = history.ledger()
      for _ in 0..<10 {
        _ = try? ledger.record(history.recording())
        _ = try? ledger.grant(history.granting())
      }
      var restored = Ledger(settings: ledger.settings, catalog: ledger.catalog)
      for record in ledger.records { restored.restore(record) }
      for info in ledger.renewalInfos { info.map { restored.restore($0) } }
      for (customer, grants) in ledger.grants { restored.restore(grants, of: customer) }
      #expect(restored.records == ledger.records)
      #expect(accesses(restored) == accesses(ledger))
      #expect(restored.contents.holdings == ledger.contents.holdings)
      for _ in 0..<4 {
        let recording = history.recording()
        let here = Result { () throws(Refusal) in try ledger.record(recording) }
        let there = Result { () throws(Refusal) in try restored.record(recording) }
        #expect(here == there)
        #expect(restored.records == ledger.records)
        #expect(accesses(restored) == accesses(ledger))
      }
    }
  }
}
