import Testing

@testable import Entitlements

/// Forgetting a customer: what goes, what stays for others' sake, and what still counts.
final class ErasureTests {
  private var ledger = Ledger(catalog: .sample)
  private let order = OperatorOrder(by: "privacy desk", note: "request 4711", at: day(20))

  @discardableResult
  private func record(
    _ transaction: Transaction, as customer: CustomerID? = nil, sharedFrom links: [Identifier] = []
  ) throws -> Recorded {
    try ledger.record(
      Recording(customer: customer, rows: [.init(transaction: transaction)], sharedFrom: links, receivedAt: day(11)))
  }

  private func erase(_ customer: CustomerID) throws -> Tombstone? {
    let recorded = try ledger.erase(Erasure(customer: customer, order: order))
    guard case .erased(let tombstone) = recorded.counts else { return nil }
    return tombstone
  }

  private func reason(_ customer: CustomerID, at moment: Moment = day(12)) -> Reason {
    ledger.access(of: customer)?.decision(for: "pro", at: moment).reason ?? .unknownCustomer
  }

  @Test("Nothing of a customer's ids remains, and nobody holds what they held")
  func nothingRemains() throws {
    try record(monthly("t-1", of: "o-1") { ($0.appTransactionID, $0.appAccountToken) = ("a-1", "token-1") }, as: "anna")
    try record(monthly("t-2", of: "o-1") { $0.refund(at: day(9)) }, as: "anna")
    try record(monthly("t-3") { $0.share() }, as: "anna", sharedFrom: ["o-9"])
    _ = try ledger.record(
      Recording(renewalInfos: [.init(info: renewal(of: "o-1", signed: day(1)))], receivedAt: day(1)))
    try record(lifetime("t-4"), as: "ben")
    let tombstone = try #require(try erase("anna"))
    #expect((tombstone.removed, tombstone.anonymous, tombstone.kept) == (2, 1, 0))
    #expect(tombstone.erasedAt == day(20) && tombstone.by == "privacy desk")
    #expect(ledger.tombstones == [tombstone])
    let everything = String(reflecting: ledger) + String(reflecting: ledger.contents)
    for id in ["anna", "t-1", "t-2", "t-3", "o-1", "o-9", "a-1", "token-1", "request 4711"] {
      #expect(!everything.contains(id), "\(id) is still there")
    }
    #expect(reason("anna") == .unknownCustomer)
    #expect(reason("ben") == .purchased)
    #expect(Set(ledger.records.lineageIDs.map(\.id)) == ["t-4"])
  }

  @Test("A refund still counts, with its amount, and isn't unclaimed")
  func refundsCount() throws {
    try record(
      lifetime("1") {
        ($0.priceMilliunits, $0.currency) = (9_990, "EUR"); $0.refund(at: day(9))
      }, as: "anna")
    try record(lifetime("2") { $0.refund(at: day(3)) }, as: "anna")
    try record(lifetime("2") { $0.signedDate = day(5) }, as: "anna")
    try record(
      monthly("3") {
        $0.share(); $0.refund(at: day(4), type: .familyRevoke)
      }, as: "anna")
    try record(lifetime("4"))
    let before = ledger.refundReport().total
    #expect((before.refunds, before.reversals, before.familyDepartures, before.unclaimed) == (1, 1, 1, 1))
    _ = try erase("anna")
    var after = ledger.refundReport().total
    // Whom it cut isn't known any more.
    after.people = before.people
    #expect(after == before)
  }

  @Test("What is anonymous has its dates by the day, and the time from refund to recording as it was")
  func anonymousDates() throws {
    try record(lifetime("1") { $0.refund(at: day(9, plus: 12_345_678)) }, as: "anna")
    let lag = day(11).milliseconds - day(9, plus: 12_345_678).milliseconds
    _ = try erase("anna")
    let record = try #require(ledger.records.first)
    #expect(record.transaction.revocationDate == day(9))
    #expect(record.transaction.purchaseDate == nil && record.transaction.signedDate == day(9))
    #expect(record.recordedAt.milliseconds - day(9).milliseconds == lag)
  }

  @Test("A purchase that others' access rests on stays without its holder, and a refund of it still cuts them")
  func familyStays() throws {
    try record(lifetime("1") { ($0.appTransactionID, $0.appAccountToken) = ("a-1", "token-1") }, as: "anna")
    try record(monthly("2") { $0.share() }, as: "ben", sharedFrom: ["1"])
    let tombstone = try #require(try erase("anna"))
    #expect((tombstone.removed, tombstone.anonymous, tombstone.kept) == (0, 0, 1))
    #expect(reason("ben") == .familyShared)
    let everything = String(reflecting: ledger) + String(reflecting: ledger.contents)
    for id in ["anna", "a-1", "token-1"] { #expect(!everything.contains(id), "\(id) is still there") }
    let refund = try record(lifetime("1") { $0.refund(at: day(9)) })
    #expect(refund.outcome == .unclaimed)
    #expect(refund.affected == ["ben"])
    #expect(reason("ben") == .sharedPurchaseRefunded)
  }

  @Test("A refunded purchase goes on denying those it was shared with")
  func refundStays() throws {
    try record(lifetime("1") { $0.refund(at: day(9)) }, as: "anna")
    try record(monthly("2") { $0.share() }, as: "ben", sharedFrom: ["1"])
    #expect(reason("ben") == .sharedPurchaseRefunded)
    _ = try erase("anna")
    #expect(reason("ben") == .sharedPurchaseRefunded)
  }

  @Test("A member who is erased leaves the purchase and the other members alone")
  func memberGoes() throws {
    try record(lifetime("1"), as: "anna")
    try record(monthly("2") { $0.share() }, as: "ben", sharedFrom: ["1"])
    try record(monthly("3") { $0.share() }, as: "carla", sharedFrom: ["1"])
    _ = try erase("ben")
    #expect(ledger.peopleSharing(ScopedID(.production, "1")) == 2)
    #expect(reason("anna") == .purchased && reason("carla") == .familyShared)
    #expect(try record(lifetime("1") { $0.refund(at: day(9)) }).affected == ["anna", "carla"])
  }

  @Test("What two customers hold stays with the other one")
  func otherHolder() throws {
    ledger.settings.transferPolicy = .share
    try record(lifetime("1") { $0.appAccountToken = "anna" }, as: "anna")
    try record(lifetime("1"), as: "ben")
    let tombstone = try #require(try erase("anna"))
    #expect(tombstone.kept == 1)
    #expect(reason("ben") == .purchased)
    #expect(!String(reflecting: ledger).contains("anna"))
  }

  @Test("What is delivered again is recorded as the first of it, unclaimed unless it names a customer")
  func redelivery() throws {
    try record(lifetime("1"), as: "anna")
    _ = try erase("anna")
    #expect(try record(lifetime("1")).outcome == .unclaimed)
    #expect(reason("anna") == .unknownCustomer)
    #expect(try record(lifetime("1"), as: "anna").outcome == .applied)
    #expect(try #require(try erase("anna")).removed == 1)
    #expect(ledger.tombstones.count == 2)
  }

  @Test("Who holds nothing can't be erased, and nothing changes")
  func unknown() throws {
    try record(lifetime("1"), as: "anna")
    let before = ledger.contents
    #expect(throws: Refusal.notFound(field: "customer_id", problem: "nothing is recorded for customer \"ben\"")) {
      try ledger.erase(Erasure(customer: "ben", order: order))
    }
    #expect(ledger.contents == before && ledger.tombstones.isEmpty)
  }

  @Test("An order names who and why, within limits", arguments: [("", "why", "by"), ("who", "", "note")])
  func incomplete(by: String, note: String, field: String) {
    let refusal = #expect(throws: Refusal.self) { try OperatorOrder(by: by, note: note, at: day(0)).validate() }
    #expect(refusal?.description == "\(field): is missing or empty")
  }

  @Test("A name has at most 128 bytes, and a reason 1,024", arguments: [-1, 0, 1])
  func limits(excess: Int) {
    let name = String(repeating: "n", count: 128 + excess)
    let reason = String(repeating: "r", count: 1_024 + excess)
    #expect((try? OperatorOrder(by: name, note: "why", at: day(0)).validate()) != nil || excess > 0)
    #expect((try? OperatorOrder(by: "who", note: reason, at: day(0)).validate()) != nil || excess > 0)
    #expect((try? OperatorOrder(by: name, note: "why", at: day(0)).validate()) == nil || excess <= 0)
    #expect((try? OperatorOrder(by: "who", note: reason, at: day(0)).validate()) == nil || excess <= 0)
  }
}

/// Giving all that one customer holds to another.
final class CustomerMoveTests {
  private var ledger = Ledger(catalog: .sample)

  @discardableResult
  private func record(
    _ transaction: Transaction, as customer: CustomerID? = nil, sharedFrom links: [Identifier] = []
  ) throws -> Recorded {
    try ledger.record(
      Recording(customer: customer, rows: [.init(transaction: transaction)], sharedFrom: links, receivedAt: day(0)))
  }

  private func move(_ from: CustomerID, _ to: CustomerID) -> CustomerMove {
    CustomerMove(from: from, to: to, order: OperatorOrder(by: "support", note: "merged", at: day(1)))
  }

  @Test("All of it is the other's, who keeps what they had; links and later notifications follow")
  func moves() throws {
    try record(lifetime("1"), as: "guest")
    try record(monthly("2") { $0.share() }, as: "guest", sharedFrom: ["9"])
    try record(monthly("3"), as: "anna")
    try record(monthly("4") { $0.share() }, as: "ben", sharedFrom: ["1"])
    let moved = try ledger.move(move("guest", "anna"))
    #expect(moved.counts == .moved(2))
    #expect(Set(moved.affected).isSuperset(of: ["guest", "anna"]))
    #expect(ledger.access(of: "guest") == nil)
    #expect(Set(ledger.holdings(of: "anna").map { ledger.records[$0].transaction.transactionID }) == ["1", "2", "3"])
    #expect(try record(lifetime("1") { $0.refund(at: day(5)) }).customer == "anna")
    #expect(ledger.access(of: "ben")?.decision(for: "pro", at: day(6)).reason == .sharedPurchaseRefunded)
  }

  @Test("What both hold is held once afterwards")
  func both() throws {
    ledger.settings.transferPolicy = .share
    for customer in ["guest", "anna", "ben"] as [CustomerID] { try record(lifetime("1"), as: customer) }
    _ = try ledger.move(move("guest", "ben"))
    #expect(ledger.records[0].holders == ["ben", "anna"])
    #expect(ledger.contents.holdings == ["anna": [0], "ben": [0]])
  }

  @Test("Nobody, oneself, and whoever may not hold Sandbox transactions are refused, and nothing changes")
  func refused() throws {
    ledger.settings.sandboxCustomers = ["tester.*"]
    try record(lifetime("1") { $0.environment = .sandbox }, as: "tester.1")
    let before = ledger.contents
    #expect(throws: Refusal.self) { try ledger.move(move("nobody", "anna")) }
    #expect(throws: Refusal.self) { try ledger.move(move("tester.1", "anna")) }
    #expect(throws: Refusal.self) { try move("anna", "anna").validate() }
    #expect(ledger.contents == before)
    _ = try ledger.move(move("tester.1", "tester.2"))
    #expect(ledger.holdings(of: "tester.2") == [0])
  }
}

/// What holds of erasing and moving in every history.
struct CustomerOrderLawTests {
  @Test("Whoever isn't named as affected is answered as before; reports and restored ledgers agree", arguments: LawTests.seeds)
  func laws(seed: UInt64) throws {
    for number in 0..<LawTests.historiesASeed {
      var history = RandomHistory(seed: seed * LawTests.historiesASeed + number)
      var ledger = history.ledger()
      for _ in 0..<14 { _ = try? ledger.record(history.recording()) }
      let order = OperatorOrder(by: "b", note: "n", at: day(70))
      let before = ledger
      let customer = history.pick(RandomHistory.customers)
      let other = history.pick(RandomHistory.customers)
      let isMove = history.random.oneIn(2) && customer != other
      let result = Result { () throws(Refusal) in
        isMove
          ? try ledger.move(CustomerMove(from: customer, to: other, order: order))
          : try ledger.erase(Erasure(customer: customer, order: order))
      }
      guard case .success(let recorded) = result else {
        #expect(ledger.contents == before.contents)
        continue
      }
      #expect(ledger.records.number(of: customer) == nil)
      for one in RandomHistory.customers where !recorded.affected.contains(one) {
        #expect(ledger.access(of: one) == before.access(of: one))
      }
      var expected = before.refundReport().total
      let after = ledger.refundReport().total
      // Who is erased isn't among the people whom a refund cut any more, nor is what nobody else holds unclaimed.
      (expected.unclaimed, expected.people) = (after.unclaimed, after.people)
      #expect(after == expected)
      try expectRestored(ledger, goesOnWith: history)
    }
  }

  /// What a recording comes to, but for the numbers of its records, which nothing outside a ledger knows.
  private func result(of recording: Recording, on ledger: inout Ledger) -> Result<Recorded, Refusal> {
    Result { () throws(Refusal) in
      var recorded = try ledger.record(recording)
      recorded.revoked = []
      return recorded
    }
  }

  /// A ledger that was put back from what a snapshot keeps answers and goes on the same.
  private func expectRestored(_ ledger: Ledger, goesOnWith history: RandomHistory) throws {
    var (ledger, history) = (ledger, history)
    var restored = Ledger(settings: ledger.settings, catalog: ledger.catalog)
    for record in ledger.records where !record.isBlank { restored.restore(record) }
    for info in ledger.renewalInfos { info.map { restored.restore($0) } }
    for _ in 0..<4 {
      for customer in RandomHistory.customers { #expect(restored.access(of: customer) == ledger.access(of: customer)) }
      #expect(restored.refundReport() == ledger.refundReport())
      let recording = history.recording()
      #expect(result(of: recording, on: &ledger) == result(of: recording, on: &restored))
    }
  }
}
