import TestSupport
import Testing

@testable import Entitlements

/// The walk over many grounds against the rule, and the room in which customers are folded.
struct StandingsTests {
  enum Order: CaseIterable { case forward, backward, shuffled }

  /// Transactions and grants whose moments are few, so that many are the same.
  private struct Grounds {
    var random: SeededRandom
    var longest: Int64

    mutating func moment() -> Moment { Moment(milliseconds: Int64.random(in: 0..<longest, using: &random)) }

    mutating func period(from start: Moment) -> Moment {
      random.oneIn(12) ? .distantFuture : Moment(milliseconds: start.milliseconds + Int64.random(in: 0...20, using: &random))
    }

    mutating func ground() -> AccessGround {
      if random.oneIn(8) {
        let start = moment()
        return .grant(GrantAccess(start: start, end: random.oneIn(8) ? moment() : period(from: start)))
      }
      let id = Identifier(random.oneIn(6) ? "t\(random.next() % 9)" : "\(random.next() % 1_000 + 1)")
      return .transaction(TransactionAccess(transactionID: id, isShared: random.oneIn(3), kind: kind()))
    }

    private mutating func kind() -> TransactionAccess.Kind {
      switch Int.random(in: 0..<20, using: &random) {
      case 0: return .nothing
      case 1: return .consumable
      case 2: return .upgraded
      default: break
      }
      let start = random.oneIn(30) ? Moment.distantFuture : random.oneIn(30) ? .distantPast : moment()
      let expires = start == .distantFuture || start == .distantPast ? moment() : period(from: start)
      let end = random.oneIn(5) && expires != .distantFuture ? period(from: expires) : expires
      return .timed(
        TransactionAccess.Times(
          start: start, expires: random.oneIn(20) ? .distantPast : expires, end: end,
          endReason: random.oneIn(3) ? .billingRetry : .expired,
          revocation: random.oneIn(4) ? .init(moment: moment(), reason: .refunded) : nil,
          sharedRefund: random.oneIn(4) ? sharedRefund() : nil))
    }

    private mutating func sharedRefund() -> TransactionAccess.SharedRefund {
      let moments = (0..<6).map { _ in moment() }.sorted()
      let gaps = stride(from: 0, to: 6, by: 2).map { moments[$0]..<moments[$0 + 1] }.filter { !$0.isEmpty }
      return TransactionAccess.SharedRefund(moment: moments[0], unbacked: gaps)
    }

    mutating func arrange(_ grounds: [AccessGround], _ order: Order) -> [AccessGround] {
      let inOrder = grounds.sorted { ($0.boundaries.first ?? .distantPast) < ($1.boundaries.first ?? .distantPast) }
      switch order {
      case .forward: return inOrder
      case .backward: return inOrder.reversed()
      case .shuffled: return grounds.shuffled(using: &random)
      }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>, Order.allCases)
  func `however many grounds come in whatever order, a timeline answers as the rule does at every moment`(
    seed: UInt64, order: Order
  ) {
    var drawn = Grounds(random: SeededRandom(seed: seed), longest: seed % 2 == 0 ? 60 : 600)
    let count = Int.random(in: 1...(seed % 4 == 0 ? 90 : 8), using: &drawn.random)
    let grounds = drawn.arrange((0..<count).map { _ in drawn.ground() }, order)
    let timeline = EntitlementFold.timeline(of: grounds)
    for moment in Set(grounds.flatMap(\.boundaries)).flatMap({ [$0.earlier(byMilliseconds: 1), $0] }) + [.distantPast] {
      let decision = EntitlementFold.decision(of: grounds, at: moment)
      #expect(timeline.decision(at: moment) == decision, "seed \(seed), \(order), \(moment.milliseconds)")
    }
    for (earlier, later) in zip(timeline.segments, timeline.segments.dropFirst()) {
      #expect(earlier.from < later.from && earlier.decision != later.decision)
    }
  }

  @Test func `a thousand renewals that come backwards are one timeline with a segment for each`() {
    let grounds = (0..<1_000).reversed().map { number in
      let (start, end) = (Moment(milliseconds: Int64(number) * 10), Moment(milliseconds: Int64(number) * 10 + 10))
      return AccessGround.transaction(
        TransactionAccess(
          transactionID: Identifier("\(number + 1)"), isShared: false,
          kind: .timed(.init(start: start, expires: end, end: end, endReason: .expired))))
    }
    let segments = EntitlementFold.timeline(of: grounds).segments
    #expect(segments.count == 1_002)
    #expect(segments.first?.decision == .denied(.notYetValid) && segments.last?.decision == .denied(.expired))
    #expect(segments.last?.from == Moment(milliseconds: 10_000))
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `room that served customers of many ledgers and catalogs folds the next one as new room does`(seed: UInt64) {
    var folding = Folding()
    var ledgers: [Ledger] = []
    for number in 0..<6 {
      var history = RandomHistory(seed: 2_000_000 + seed * 100 + UInt64(number))
      // Half of them go on from a copy of another one, whose numbers then mean something else.
      var ledger = number % 2 == 1 ? ledgers[number - 1] : history.ledger()
      for _ in 0..<8 {
        _ = try? ledger.record(history.recording())
        if history.random.oneIn(3) { _ = try? ledger.grant(history.granting()) }
      }
      if history.random.oneIn(2) {
        ledger.replace(catalog: Catalog(products: ledger.catalog.products.filter { _ in history.random.oneIn(2) }))
      }
      ledgers.append(ledger)
      for ledger in ledgers {
        for customer in RandomHistory.customers {
          #expect((folding.fold(customer, of: ledger) ? folding.access : nil) == ledger.access(of: customer))
        }
        for number in 0..<ledger.customerNumberEnd {
          guard let customer = folding.fold(customerNumbered: number, of: ledger) else { continue }
          #expect(folding.access == ledger.access(of: customer))
        }
      }
    }
  }
}
