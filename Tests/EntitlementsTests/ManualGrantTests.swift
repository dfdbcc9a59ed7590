import Entitlements
import Testing

/// What operators give and take back.
struct ManualGrantTests {
  @Test func `a grant allows from its very beginning up to its end, without clock skew`() throws {
    var ledger = Ledger.sample()
    try ledger.give(to: "ana", from: day(1), until: day(3))
    #expect(ledger.decision("ana", at: day(1, plus: -1)) == .denied(.notYetValid))
    #expect(ledger.decision("ana", at: day(1)) == Decision(reason: .manualGrant, validUntil: day(3)))
    #expect(ledger.decision("ana", at: day(3, plus: -1)) == Decision(reason: .manualGrant, validUntil: day(3)))
    #expect(ledger.decision("ana", at: day(3)) == .denied(.grantEnded))
    try ledger.give(to: "bob", from: day(1))
    #expect(ledger.decision("bob", at: day(9_999)) == Decision(reason: .manualGrant, validUntil: .distantFuture))
  }

  @Test func `a customer with nothing but a grant is known`() throws {
    var ledger = Ledger.sample()
    try ledger.give(to: "ana", from: day(1), until: day(3))
    #expect(ledger.everyone == ["ana"])
    #expect(ledger.reason("ana", "plus", at: day(1)) == .neverOwned)
    #expect(ledger.reason("bob", at: day(1)) == .unknownCustomer)
  }

  @Test(arguments: [
    (Moment?.none, Reason.manualGrant), (day(31), .manualGrant), (day(30, plus: 1), .manualGrant), (day(30), .purchased),
    (day(30, plus: -1), .purchased),
  ])
  func `a transaction answers where it grants for as long or longer`(until: Moment?, reason: Reason) throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1"), as: "ana")
    try ledger.give(to: "ana", from: day(0), until: until)
    #expect(ledger.reason("ana", at: day(2)) == reason)
    #expect(ledger.decision("ana", at: day(2)).validUntil == max(until ?? .distantFuture, day(30)))
    #expect(ledger.decision("ana", at: day(2)).ownership == (reason == .purchased ? .purchased : nil))
  }

  @Test func `a never-ending purchase answers beside a never-ending grant`() throws {
    var ledger = Ledger.sample()
    try ledger.give(to: "ana", from: day(0))
    try ledger.record(lifetime("1"), as: "ana")
    #expect(ledger.reason("ana", at: day(2)) == .purchased)
    try ledger.record(lifetime("1") { $0.refund(at: day(4)) })
    #expect(ledger.reason("ana", at: day(4)) == .manualGrant)
  }

  @Test(arguments: [(-1, Reason.refunded), (0, .refunded), (1, .grantEnded)] as [(Int64, Reason)])
  func `the end of a grant ranks among the ends of access, after a transaction's in the same millisecond`(
    later: Int64, reason: Reason
  ) throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1") { $0.refund(at: day(5)) }, as: "ana")
    try ledger.give(to: "ana", from: day(0), until: day(5, plus: later))
    #expect(ledger.reason("ana", at: day(6)) == reason)
  }

  @Test func `what is taken back ends at that moment, where it would have ended later`() throws {
    var ledger = Ledger.sample()
    try ledger.give(to: "ana", from: day(0))
    try ledger.give(to: "ana", from: day(0), until: day(2))
    try ledger.give("plus", to: "ana", from: day(0))
    try ledger.give(to: "bob", from: day(0))
    let recorded = try ledger.takeBack(from: "ana", at: day(3))
    #expect(recorded == Recorded(outcome: .applied, customer: "ana", affected: ["ana"]))
    #expect(ledger.decision("ana", at: day(2)) == Decision(reason: .manualGrant, validUntil: day(3)))
    #expect(ledger.reason("ana", at: day(3)) == .grantEnded)
    #expect(ledger.grants["ana"]?.map(\.takenBack?.at) == [day(3), nil, nil])
    #expect(ledger.reason("ana", "plus", at: day(3)) == .manualGrant)
    #expect(ledger.reason("bob", at: day(3)) == .manualGrant)
  }

  @Test func `what begins after the moment at which it is taken back never grants`() throws {
    var ledger = Ledger.sample()
    try ledger.give(to: "ana", from: day(4), until: day(8))
    try ledger.takeBack(from: "ana", at: day(2))
    #expect(ledger.reason("ana", at: day(2, plus: -1)) == .notYetValid)
    #expect(ledger.reason("ana", at: day(2)) == .grantEnded)
    #expect(ledger.reason("ana", at: day(4)) == .grantEnded)
    let before = try #require(ledger.explainGrants(of: "ana", at: day(1)).first)
    #expect(before.sentence.hasPrefix("never grants: support took it back"))
    let after = try #require(ledger.explainGrants(of: "ana", at: day(3)).first)
    #expect(after.sentence.hasPrefix("ended since \(day(2).iso8601): support took it back"))
  }

  @Test func `an earlier moment cuts more, a later one nothing`() throws {
    var ledger = Ledger.sample()
    try ledger.give(to: "ana", from: day(0))
    for (moment, outcome, end) in [
      (day(5), Outcome.applied, day(5)), (day(5), .duplicate, day(5)), (day(7), .duplicate, day(5)), (day(3), .applied, day(3)),
    ] {
      #expect(try ledger.takeBack(from: "ana", at: moment).outcome == outcome)
      #expect(ledger.decision("ana", at: day(1)).validUntil == end)
    }
  }

  @Test func `what is given after a taking back stands`() throws {
    var ledger = Ledger.sample()
    try ledger.give(to: "ana", from: day(0))
    try ledger.takeBack(from: "ana", at: day(2))
    try ledger.give(to: "ana", from: day(1))
    #expect(ledger.reason("ana", at: day(3)) == .manualGrant)
  }

  @Test func `the very same grant again changes nothing, even after it was taken back`() throws {
    var ledger = Ledger.sample()
    try ledger.give(to: "ana", from: day(0), until: day(5))
    #expect(try ledger.give(to: "ana", from: day(0), until: day(5)).outcome == .duplicate)
    try ledger.takeBack(from: "ana", at: day(2))
    #expect(try ledger.give(to: "ana", from: day(0), until: day(5)).outcome == .duplicate)
    #expect(ledger.reason("ana", at: day(2)) == .grantEnded)
    for (by, note, until) in [("boss", "goodwill", day(5)), ("support", "again", day(5)), ("support", "goodwill", day(6))] {
      #expect(try ledger.give(to: "ana", from: day(0), until: until, by: by, note: note).outcome == .applied)
    }
    #expect(ledger.grants["ana"]?.count == 4)
  }

  @Test(arguments: ["ana", "bob"] as [CustomerID])
  func `what was never given can't be taken back`(customer: CustomerID) throws {
    var ledger = Ledger.sample()
    try ledger.give("plus", to: "ana", from: day(0))
    #expect {
      try ledger.takeBack(from: customer, at: day(1))
    } throws: { error in
      guard case .precondition("entitlement", _) = error as? Refusal else { return false }
      return true
    }
  }

  @Test func `a customer has at most 1,000 grants, and those of others don't count`() throws {
    var ledger = Ledger.sample()
    for index in 0..<Int64(Ledger.grantLimit) { try ledger.give(to: "ana", from: day(0, plus: index)) }
    #expect(throws: Refusal.self) { try ledger.give(to: "ana", from: day(1)) }
    #expect(try ledger.give(to: "ana", from: day(0)).outcome == .duplicate)
    try ledger.give(to: "bob", from: day(1))
    #expect(ledger.grants["ana"]?.count == 1_000)
  }

  @Test func `neither refunds nor reports know of grants`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), as: "ana")
    let before = ledger.refundReport()
    try ledger.give(to: "ana", from: day(0))
    try ledger.takeBack(from: "ana", at: day(2))
    #expect(ledger.refundReport() == before)
  }

  @Test func `a move of what is held leaves grants where they are`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), as: "ana")
    try ledger.give(to: "ana", from: day(0))
    try ledger.record(lifetime("1"), as: "bob")
    #expect(ledger.reason("ana", at: day(1)) == .manualGrant)
    #expect(ledger.reason("bob", at: day(1)) == .purchased)
  }

  @Test func `the part of a ledger that hangs together has its customers' grants`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), as: "ana")
    for customer in ["ana", "bob", "cid"] as [CustomerID] { try ledger.give(to: customer, from: day(0)) }
    let part = ledger.component(around: [Recording(rows: [.init(transaction: lifetime("1"))], receivedAt: day(0))], of: "bob")
    #expect(Set(part.grants.keys) == ["ana", "bob"])
    #expect(part.access(of: "ana") == ledger.access(of: "ana"))
  }

  @Test(arguments: [
    (Int64(0), Reason.notYetValid, Moment?.none, Moment?(day(1)), "doesn't grant yet: it begins at 2026-01-02T00:00:00Z"),
    (
      1, .manualGrant, day(1), day(3),
      "grants since 2026-01-02T00:00:00Z by hand, until 2026-01-04T00:00:00Z: support gave it (goodwill)"
    ), (4, .grantEnded, day(3), nil, "ended since 2026-01-04T00:00:00Z: it was given until then"),
  ])
  func `an explanation says since when and until when`(
    number: Int64, reason: Reason, since: Moment?, until: Moment?, sentence: String
  ) throws {
    var ledger = Ledger.sample()
    try ledger.give(to: "ana", from: day(1), until: day(3))
    try ledger.give("plus", to: "ana", from: day(1))
    let explanations = ledger.explainGrants(of: "ana", entitlement: "pro", at: day(number))
    #expect(explanations.map(\.reason) == [reason])
    #expect(explanations.map(\.since) == [since])
    #expect(explanations.map(\.until) == [until])
    #expect(explanations.map(\.sentence) == [sentence])
  }
}
