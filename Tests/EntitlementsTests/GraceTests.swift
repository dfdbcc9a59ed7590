import Entitlements
import Testing

/// Rule 6: the grace period and billing retry of the lineage's newest renewal info.
struct GraceTests {
  /// Ana's month to day 30, and a renewal info beside it.
  private func ledger(_ info: RenewalInfo, _ change: (inout Transaction) -> Void = { _ in }) throws -> Ledger {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1", change), as: "ana", with: info)
    return ledger
  }

  @Test func `grace grants until its date and not a millisecond longer`() throws {
    let ledger = try ledger(renewal(of: "1", signed: day(30), grace: day(36), retrying: true))
    #expect(ledger.decision("ana", at: day(29)) == Decision(reason: .purchased, validUntil: day(36), ownership: .purchased))
    #expect(ledger.reason("ana", at: day(30, plus: -1)) == .purchased)
    #expect(ledger.decision("ana", at: day(30)) == Decision(reason: .gracePeriod, validUntil: day(36), ownership: .purchased))
    #expect(ledger.reason("ana", at: day(36, plus: -1)) == .gracePeriod)
    #expect(ledger.reason("ana", at: day(36)) == .billingRetry)
  }

  @Test func `grace of a shared subscription is grace too`() throws {
    let ledger = try ledger(renewal(of: "1", signed: day(30), grace: day(36))) { $0.share() }
    #expect(ledger.decision("ana", at: day(31)) == Decision(reason: .gracePeriod, validUntil: day(36), ownership: .familyShared))
    #expect(ledger.reason("ana", at: day(36)) == .expired)
  }

  @Test func `billing retry without a grace date grants nothing after the expiry`() throws {
    let ledger = try ledger(renewal(of: "1", signed: day(30), retrying: true))
    #expect(ledger.decision("ana", at: day(29)).validUntil == day(30))
    #expect(ledger.reason("ana", at: day(30)) == .billingRetry)
  }

  @Test func `a grace date before the expiry shortens nothing`() throws {
    let ledger = try ledger(renewal(of: "1", signed: day(0), grace: day(20)))
    #expect(ledger.reason("ana", at: day(29)) == .purchased)
    #expect(ledger.reason("ana", at: day(30)) == .expired)
  }

  @Test func `a renewal info counts for grace if it was signed at or after the purchase`() throws {
    let same = try ledger(renewal(of: "1", signed: day(0), grace: day(36)))
    let earlier = try ledger(renewal(of: "1", signed: day(0, plus: -1), grace: day(36), retrying: true))
    #expect(same.reason("ana", at: day(31)) == .gracePeriod)
    #expect(earlier.reason("ana", at: day(31)) == .billingRetry)
  }

  @Test func `grace belongs to the latest expiry of the lineage alone`() throws {
    var ledger = try ledger(renewal(of: "1", signed: day(31), grace: day(36), retrying: true))
    try ledger.record(
      monthly("2", of: "1") {
        $0.purchaseDate = day(20)
        $0.expiresDate = day(30, plus: 1)
      }, as: "ana")
    #expect(ledger.decision("ana", at: day(0)).validUntil == day(30))
    #expect(ledger.decision("ana", at: day(30)).validUntil == day(36))
  }

  @Test func `a revoked transaction with the latest expiry keeps grace from an earlier one`() throws {
    var ledger = try ledger(renewal(of: "1", signed: day(31), grace: day(50), retrying: true))
    try ledger.record(
      monthly("2", of: "1") {
        $0.purchaseDate = day(30)
        $0.expiresDate = day(60)
        $0.refund(at: day(40))
      }, as: "ana")
    #expect(ledger.decision("ana", at: day(29)).validUntil == day(30))
    #expect(ledger.reason("ana", at: day(45)) == .refunded)
  }

  @Test func `an upgraded transaction with the latest expiry doesn't keep grace from another`() throws {
    var ledger = try ledger(renewal(of: "1", signed: day(31), grace: day(36)))
    try ledger.record(
      monthly("2", of: "1") {
        $0.expiresDate = day(60)
        $0.isUpgraded = true
      }, as: "ana")
    #expect(ledger.reason("ana", at: day(31)) == .gracePeriod)
  }

  @Test func `two transactions that share the latest expiry both have its grace`() throws {
    var ledger = try ledger(renewal(of: "1", signed: day(31), grace: day(36))) { $0.refund(at: day(2)) }
    try ledger.record(monthly("2", of: "1"), as: "ana")
    #expect(ledger.reason("ana", at: day(31)) == .gracePeriod)
  }

  @Test func `only the newest renewal info counts, whatever order they come in`() throws {
    let older = renewal(of: "1", signed: day(30), grace: day(36), retrying: true)
    let newer = renewal(of: "1", signed: day(33))
    for infos in [[older, newer], [newer, older]] {
      var ledger = Ledger.sample()
      try ledger.record(monthly("1"), as: "ana")
      for info in infos { try ledger.record(info) }
      #expect(ledger.reason("ana", at: day(31)) == .expired)
    }
  }

  @Test func `of renewal infos of the same millisecond the later grace wins, then the one in billing retry, then the bytes`() {
    func info(_ grace: Int64?, _ retrying: Bool, _ next: Identifier? = nil) -> RenewalInfo {
      var info = renewal(of: "1", signed: day(30), grace: grace.map { day($0) }, retrying: retrying)
      info.autoRenewProductID = next
      return info
    }
    let rising = [
      info(nil, false), info(nil, true), info(31, false), info(31, true), info(32, false), info(32, true, "a"),
      info(32, true, "b"),
    ]
    for (place, one) in rising.enumerated() {
      for (otherPlace, other) in rising.enumerated() {
        let expected: VersionOrder = place == otherPlace ? .same : place > otherPlace ? .newer : .older
        #expect(one.order(over: other) == expected)
      }
    }
  }

  @Test func `a renewal info of another environment is another lineage's`() throws {
    var ledger = Ledger.sample { $0.sandboxCustomers = ["ana"] }
    try ledger.record(monthly("1"), as: "ana")
    try ledger.record(renewal(of: "1", signed: day(30), grace: day(36), environment: .sandbox), as: "ana")
    #expect(ledger.reason("ana", at: day(31)) == .expired)
  }

  @Test func `a renewal info without an environment has that of the transaction it came with`() throws {
    var ledger = Ledger.sample { $0.sandboxCustomers = ["ana"] }
    try ledger.record(
      monthly("1") { $0.environment = .sandbox }, as: "ana", with: renewal(of: "1", signed: day(30), grace: day(36)))
    #expect(ledger.reason("ana", at: day(31)) == .gracePeriod)
  }
}
