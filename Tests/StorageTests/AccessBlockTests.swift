import Entitlements
import TestSupport
import Testing

@testable import Storage

struct AccessBlockTests {
  private let cache = EntitlementCache()

  /// Expects the compiled answers to be those of the timelines at every boundary, next to it, and at the ends of time.
  private func expectSameAnswers(_ access: CustomerAccess, sourceLocation: SourceLocation = #_sourceLocation) {
    let words = AccessBlockWriter.words(of: access, customer: "customer", names: cache.names)
    var moments: Set<Int64> = [0, 1, Moment.accepted.upperBound.milliseconds, .max]
    for (_, timeline) in access.timelines {
      for segment in timeline.segments where segment.from > .distantPast {
        moments.formUnion([segment.from.milliseconds - 1, segment.from.milliseconds, segment.from.milliseconds + 1])
      }
    }
    unsafe cache.withBlock(of: words) { block in
      guard let block = unsafe block else { return }
      #expect(unsafe block.words == words)
      for (entitlement, _) in access.timelines + [(entitlement: "nothing", timeline: Timeline())] {
        for moment in moments.sorted() {
          let expected = AccessBlock.Answer(access.decision(for: entitlement, at: Moment(milliseconds: max(moment, 0))))
          let answer = unsafe block.answer(name: cache.names.number(of: entitlement), at: moment)
          #expect(answer == expected, "\(entitlement) at \(moment)", sourceLocation: sourceLocation)
        }
      }
    }
  }

  @Test("A block answers as the fold does, at every boundary and beside it", arguments: 1...6 as ClosedRange<UInt64>)
  func ledgers(seed: UInt64) {
    var history = RandomHistory(seed: seed)
    var ledger = Ledger(catalog: .sample)
    for _ in 0..<150 { _ = try? ledger.record(history.recording()) }
    for customer in RandomHistory.everyone { if let access = ledger.access(of: customer) { expectSameAnswers(access) } }
  }

  @Test("The same history is the same bytes, and those of a block are told from others, whatever was counted in it")
  func sameBytes() {
    var history = RandomHistory(seed: 7)
    var ledger = Ledger(catalog: .sample)
    for _ in 0..<150 { _ = try? ledger.record(history.recording()) }
    for customer in RandomHistory.everyone {
      let compiled = (0..<4).map { _ in
        ledger.access(of: customer).map { AccessBlockWriter.words(of: $0, customer: customer, names: cache.names) }
      }
      #expect(Set(compiled).count == 1)
      guard let words = compiled[0] else { continue }
      unsafe cache.withBlock(of: words) { block in
        for entry in unsafe 0..<(block?.entryCount ?? 0) {
          guard let block = unsafe block else { continue }
          for hour in [490_000, 490_001] as [UInt64] { unsafe cache.count(inHour: hour, block, entry) }
        }
        #expect(unsafe AccessBlock.isMade(block, of: words) && block?.words == words)
        let others = words.indices.map { index in words.indices.map { words[$0] ^ (index == $0 ? 1 << 8 : 0) } }
        let counters = unsafe block.map { unsafe $0.newestCounters } ?? 0..<0
        for (index, other) in others.enumerated() {
          let isCounter = counters.contains(index * 8)
          #expect(unsafe AccessBlock.isMade(block, of: other) == isCounter)
        }
        #expect(unsafe !AccessBlock.isMade(block, of: nil) && !AccessBlock.isMade(nil, of: words))
      }
    }
    #expect(unsafe AccessBlock.isMade(nil, of: nil))
  }

  @Test("A block answers as its timelines do, whatever they are", arguments: 1...6 as ClosedRange<UInt64>)
  func timelines(seed: UInt64) {
    var history = RandomHistory(seed: seed)
    var timelines: [Identifier: Timeline] = [:]
    for index in 0..<history.any([0, 1, 2, 40]) { timelines[Identifier("e\(index)")] = timeline(&history) }
    expectSameAnswers(CustomerAccess(timelines))
  }

  private func timeline(_ history: inout RandomHistory) -> Timeline {
    var timeline = Timeline()
    var starts = (0..<Int.random(in: 0...9, using: &history.random)).map { _ in history.moment().milliseconds }
    if history.random.oneIn(2) { starts += [-1, 0, 1, Moment.accepted.upperBound.milliseconds, 1 << 47] }
    timeline.append(decision(&history, before: starts.min()), from: .distantPast)
    for start in starts.sorted() {
      timeline.append(decision(&history, before: starts.filter { $0 > start }.min()), from: Moment(milliseconds: start))
    }
    return timeline
  }

  /// A decision whose end is the next segment's start, or isn't.
  private func decision(_ history: inout RandomHistory, before next: Int64?) -> Decision {
    let reason = history.any(Reason.allCases)
    guard reason.allows else { return .denied(reason) }
    let end = history.random.oneIn(4) ? history.moment().milliseconds : next ?? .max
    return Decision(
      reason: reason, validUntil: Moment(milliseconds: end), ownership: history.any([.purchased, .familyShared]))
  }

  @Test("Before 1970 the answer is the one at 0, whichever of several segments began before that")
  func before1970() {
    var timeline = Timeline()
    timeline.append(.denied(.notYetValid), from: .distantPast)
    timeline.append(
      Decision(reason: .purchased, validUntil: .distantFuture, ownership: .purchased), from: Moment(milliseconds: -60_000))
    for moment: Int64 in [.min, -60_001, -1, 0] {
      #expect(answer(timeline, at: moment) == .init(reason: .purchased, ownership: 1, validUntil: .max))
    }
  }

  @Test("An end after the year 10889, which a long access period can have, is told exactly")
  func farEnd() {
    let end = Moment(milliseconds: 1 << 48 + 5)
    var timeline = Timeline()
    timeline.append(Decision(reason: .purchased, validUntil: end, ownership: .purchased), from: .distantPast)
    timeline.append(.denied(.expired), from: end)
    #expect(answer(timeline, at: Moment.accepted.upperBound.milliseconds)?.validUntil == end.milliseconds)
  }

  private func answer(_ timeline: Timeline, at moment: Int64) -> AccessBlock.Answer? {
    let words = AccessBlockWriter.words(of: CustomerAccess(["e": timeline]), customer: "c", names: cache.names)
    return unsafe cache.withBlock(of: words) { block in unsafe block?.answer(name: cache.names.number(of: "e"), at: moment) }
  }

  @Test("A block is of its customer alone", arguments: [1, 7, 8, 9, 16, 127, 128])
  func identity(length: Int) {
    let id = String(repeating: "x", count: length)
    let words = AccessBlockWriter.words(of: CustomerAccess([:]), customer: Identifier(id), names: cache.names)
    unsafe cache.withBlock(of: words) { block in
      for (other, isSame) in [
        (id, true), (id + "x", false), (String(id.dropLast()), false), (String(id.dropLast()) + "y", false),
      ] {
        #expect(unsafe Array(other.utf8).withUnsafeBytes { unsafe block?.isOf($0) } == isSame)
      }
    }
  }

  @Test(
    "A UUID is told from every id that differs in a letter, its case or a dash, and comes back as it was",
    arguments: [
      "0f0e0d0c-abcd-4908-9706-a50403fe0100", "0F0E0D0C-ABCD-4908-9706-A50403FE0100", "00000000-0000-4000-8000-000000000000",
    ])
  func uuids(id: String) {
    let words = AccessBlockWriter.words(of: CustomerAccess([:]), customer: Identifier(id), names: cache.names)
    #expect(words.count == 3)
    var others = id.indices.flatMap { place in
      "09afgAFG-`/:@ ".map { id[..<place] + String($0) + id[id.index(after: place)...] }.map { String($0) }
    }
    others += [id.lowercased(), id.uppercased(), String(id.dropLast()), id + "0"]
    unsafe cache.withBlock(of: words) { block in
      #expect(unsafe block?.customer.text == id)
      for other in others {
        #expect(unsafe Array(other.utf8).withUnsafeBytes { unsafe block?.isOf($0) } == (other == id), "\(other)")
      }
    }
  }

  @Test("A block counts its entries, however many there are", arguments: [0, 1, 254, 255, 256, 300])
  func manyEntries(count: Int) {
    let timelines = (0..<count).map { index in
      var timeline = Timeline()
      let until = Moment(milliseconds: Int64(index + 1))
      timeline.append(Decision(reason: .purchased, validUntil: until, ownership: .purchased), from: .distantPast)
      return (Identifier("entitlement \(index)"), timeline)
    }
    expectSameAnswers(CustomerAccess(Dictionary(uniqueKeysWithValues: timelines)))
  }
}
