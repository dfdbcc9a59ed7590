import Entitlements
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// Answers of which it can be told when they were published: `pro` until a generation.
private func words(_ generation: Int, of customer: CustomerID, in cache: EntitlementCache) -> [UInt64] {
  var timeline = Timeline()
  timeline.append(
    Decision(reason: .purchased, validUntil: Moment(milliseconds: Int64(generation)), ownership: .purchased), from: .distantPast)
  return AccessBlockWriter.words(of: CustomerAccess(["pro": timeline]), customer: customer, names: cache.names)
}

extension EntitlementCache {
  /// Publishes the answers of a generation, none where it is nil, for some customers at once.
  fileprivate func publish(_ generation: Int?, of customers: [CustomerID], revision: Int) {
    let changes = customers.map { customer in
      Change(customer: customer, words: generation.map { words($0, of: customer, in: self) })
    }
    publish(changes, revision: UInt64(revision))
  }

  /// The generation of a customer's answer by the passes of a check, nil where there is none. Within a reader's turn.
  fileprivate func generation(of customer: CustomerID) -> Int? {
    let name = names.knownNumber(of: "pro")
    let answer = unsafe Array(customer.text.utf8).withUnsafeBytes { id in
      let hash = unsafe prepare(id)
      return unsafe self.answer(find(hash), id: id, hash: hash, name: name, at: 0).answer
    }
    return answer.reason == .purchased ? Int(answer.validUntil) : nil
  }
}

struct CacheTests {
  @Test("Customers come, change and go, and the cache grows with them")
  func growth() {
    let cache = EntitlementCache()
    var random = SeededRandom(seed: 5)
    var expected: [CustomerID: Int] = [:]
    for generation in 1...6_000 {
      let customer = CustomerID("customer \(Int.random(in: 0..<3_000, using: &random))")
      let isRemoval = random.oneIn(3)
      cache.publish(isRemoval ? nil : generation, of: [customer], revision: generation)
      expected[customer] = isRemoval ? nil : generation
    }
    #expect(cache.customerCount == expected.count)
    #expect(Set((0..<EntitlementCache.shardCount).flatMap { cache.customers(inShard: $0) }) == Set(expected.keys))
    #expect(cache.revision == 6_000)
    for index in 0..<3_000 {
      let customer = CustomerID("customer \(index)")
      #expect(cache.generation(of: customer) == expected[customer])
    }
  }

  @Test("One place that is taken and freed again and again never fills a table")
  func churn() {
    let cache = EntitlementCache()
    for round in 1...20_000 {
      cache.publish(round, of: [CustomerID("\(round)")], revision: round)
      cache.publish(nil, of: [CustomerID("\(round)")], revision: round)
    }
    #expect(cache.customerCount == 0)
    #expect(cache.generation(of: "1") == nil)
  }

  @Test("What a reader's turn found stays readable until the turn ends, and is freed after it")
  func epochs() {
    let epochs = ReaderEpochs()
    let reader = epochs.makeReader()
    let idle = epochs.makeReader()
    let before = epochs.advance()
    reader.begin()
    #expect(before <= epochs.oldestInUse())
    let during = epochs.advance()
    #expect(during > epochs.oldestInUse())
    idle.begin()
    #expect(during > epochs.oldestInUse())
    reader.end()
    #expect(during <= epochs.oldestInUse())
    idle.end()
    #expect(epochs.oldestInUse() == .max)
    idle.begin()
    epochs.retire(idle)
    #expect(epochs.oldestInUse() == .max)
  }
}

struct CacheThreadTests {
  private static let pairCount = 40
  private static let generationCount = 4_000

  private static func pair(_ index: Int) -> [CustomerID] { [CustomerID("purchaser \(index)"), CustomerID("member \(index)")] }

  /// What reading threads noticed.
  private final class Findings: Sendable {
    let isOver = Atomic(false)
    let torn = Atomic(0)
    let stale = Atomic(0)
    let turns = Atomic(0)
  }

  @Test("Readers see both or none of what one revision changes, and never less than the revision that they saw")
  func families() throws {
    let cache = EntitlementCache()
    for index in 0..<Self.pairCount { cache.publish(0, of: Self.pair(index), revision: 0) }
    let findings = Findings()
    let ended = AwaitedValue(0)
    for seed in 1...4 as ClosedRange<UInt64> {
      _ = try Thread(named: "reader") {
        Self.read(cache, seed: seed, findings)
        ended.update { $0 += 1 }
      }
    }
    write(cache, whileReading: findings)
    findings.isOver.store(true, ordering: .releasing)
    ended.wait { $0 == 4 ? () : nil }
    #expect(findings.torn.load(ordering: .acquiring) == 0)
    #expect(findings.stale.load(ordering: .acquiring) == 0)
    for index in 0..<Self.pairCount { for customer in Self.pair(index) { #expect(cache.generation(of: customer) != nil) } }
  }

  private func write(_ cache: EntitlementCache, whileReading findings: Findings) {
    findings.turns.waitUntil { $0 > 0 }
    var random = SeededRandom(seed: 99)
    for generation in 1...Self.generationCount {
      let index = generation % Self.pairCount
      cache.publish(generation, of: Self.pair(index).shuffled(using: &random), revision: generation)
      // Strangers come and go, so that tables grow and are made anew meanwhile.
      let stranger = CustomerID("stranger \(Int.random(in: 0..<3_000, using: &random))")
      cache.publish(random.oneIn(3) ? nil : generation, of: [stranger], revision: generation)
    }
  }

  private static func read(_ cache: EntitlementCache, seed: UInt64, _ findings: Findings) {
    var random = SeededRandom(seed: seed)
    let reader = cache.makeReader()
    while !findings.isOver.load(ordering: .acquiring) {
      let index = Int.random(in: 0..<pairCount, using: &random)
      let customers = pair(index)
      var seen: [Int?] = []
      var revision: UInt64 = 0
      reader.begin()
      cache.consistently {
        revision = cache.revision
        seen = customers.map { cache.generation(of: $0) }
      }
      reader.end()
      if seen[0] != seen[1] { findings.torn.add(1, ordering: .relaxed) }
      let oldest = newestGeneration(ofPair: index, atRevision: Int(revision))
      if seen.contains(where: { $0 ?? -1 < oldest }) { findings.stale.add(1, ordering: .relaxed) }
      findings.turns.add(1, ordering: .relaxed)
    }
    cache.retire(reader)
  }

  /// The last generation up to a revision that was published for a pair.
  private static func newestGeneration(ofPair index: Int, atRevision revision: Int) -> Int {
    max(0, revision - (revision - index + pairCount) % pairCount)
  }
}

extension Atomic<Int> {
  /// Gives up the processor until the number is as wanted.
  borrowing fileprivate func waitUntil(_ holds: (Int) -> Bool) { while !holds(load(ordering: .acquiring)) {} }
}
