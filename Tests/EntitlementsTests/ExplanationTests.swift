import Entitlements
import Testing

/// What an on-call engineer is told of each transaction.
struct ExplanationTests {
  /// The explanation of Ana's only transaction.
  private func explain(
    _ version: Transaction, mark: Moment? = nil, with info: RenewalInfo? = nil, at moment: Moment
  ) throws -> Explanation {
    var ledger = Ledger.sample()
    try ledger.record(version, as: "ana", mark: mark, with: info)
    return try #require(ledger.explain("ana", at: moment).first)
  }

  @Test func `a grant says since when and until when`() throws {
    let own = try explain(monthly("1"), at: day(1))
    #expect(own.grants)
    #expect(own.entitlements == ["pro", "pro.monthly"])
    #expect(own.since == day(0, plus: -60_000))
    #expect(own.until == day(30))
    #expect(own.sentence == "grants since 2025-12-31T23:59:00Z by the customer's own purchase, until 2026-01-31T00:00:00Z")
    let endless = try explain(lifetime("1") { $0.share() }, at: day(1))
    #expect(endless.until == nil)
    #expect(endless.sentence == "grants since 2025-12-31T23:59:00Z by Family Sharing, without an end")
  }

  @Test func `grace begins with the expiry`() throws {
    let grace = try explain(monthly("1"), with: renewal(of: "1", signed: day(30), grace: day(36)), at: day(31))
    #expect(grace.reason == .gracePeriod)
    #expect(grace.since == day(30))
    #expect(grace.until == day(36))
  }

  @Test func `what hasn't begun says when it will, or that it never does`() throws {
    let ahead = try explain(monthly("1"), at: day(-1))
    #expect(ahead.reason == .notYetValid)
    #expect(ahead.since == nil)
    #expect(ahead.until == day(0, plus: -60_000))
    #expect(ahead.sentence == "doesn't grant yet: its period begins at 2025-12-31T23:59:00Z")
    let never = try explain(lifetime("1") { $0.purchaseDate = nil }, at: day(1))
    #expect(never.until == nil)
    #expect(never.sentence == "never grants: Apple sent no purchaseDate")
  }

  @Test func `an auto-renewable without an expiry never grants, since always`() throws {
    let never = try explain(monthly("1") { $0.expiresDate = nil }, at: day(1))
    #expect(never.reason == .expired)
    #expect(never.since == nil)
    #expect(never.until == nil)
    #expect(never.sentence == "never grants: an auto-renewable subscription without an expiresDate")
  }

  @Test func `what ended says when and why`() throws {
    let expired = try explain(monthly("1"), at: day(40))
    #expect(expired.since == day(30))
    #expect(expired.until == nil)
    #expect(expired.sentence.hasPrefix("ended since 2026-01-31T00:00:00Z: its period is over"))
    let retrying = try explain(monthly("1"), with: renewal(of: "1", signed: day(30), retrying: true), at: day(40))
    #expect(retrying.sentence.contains("Apple is still retrying"))
    let refunded = try explain(monthly("1") { $0.refund(at: day(10)) }, at: day(40))
    #expect(refunded.since == day(10))
    #expect(refunded.sentence == "ended since 2026-01-11T00:00:00Z: Apple refunded it (revocation reason 0)")
    let marked = try explain(monthly("1"), mark: day(10), at: day(40))
    #expect(marked.sentence.contains("without a revocation date"))
    let departed = try explain(lifetime("1") { $0.share() }, mark: day(10), at: day(40))
    #expect(departed.reason == .familyAccessEnded)
    #expect(departed.sentence.contains("left the family"))
    let bundled = try explain(
      lifetime("1") {
        $0.refund(at: day(10))
        $0.revocationReason = .upgradedToBundle
      }, at: day(40))
    #expect(bundled.sentence.contains("bundle"))
  }

  @Test func `what never could grant says why`() throws {
    #expect(try explain(coins("1"), at: day(1)).sentence.contains("consumable"))
    #expect(try explain(monthly("1") { $0.isUpgraded = true }, at: day(1)).sentence.contains("upgraded"))
    let unknown = try explain(monthly("1") { $0.type = .other("Seat") }, at: day(1))
    #expect(unknown.reason == nil)
    #expect(!unknown.grants)
    #expect(unknown.sentence.contains("\"Seat\""))
    #expect(try explain(monthly("1") { $0.ownership = .other("ASSIGNED") }, at: day(1)).sentence.contains("\"ASSIGNED\""))
    let typeless = transaction("1", product: "unlisted", nil)
    #expect(try explain(typeless, at: day(1)).sentence.contains("names no type"))
    #expect(try explain(season("1") { $0.share() }, at: day(1)).sentence.contains("can't be shared"))
  }

  @Test func `a member whose purchaser was refunded is told of the purchase`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("2") { $0.share() }, as: "kid", sharedFrom: ["1", "7"])
    try ledger.record(lifetime("1") { $0.refund(at: day(10)) }, as: "buyer")
    let explanation = try #require(ledger.explain("kid", entitlement: "pro", at: day(11)).first)
    #expect(explanation.reason == .sharedPurchaseRefunded)
    #expect(explanation.linkedPurchases == ["1"])
    #expect(explanation.since == day(10))
    #expect(explanation.sentence.contains("(1) was refunded"))
    try ledger.record(
      lifetime("2") {
        $0.share()
        $0.refund(at: day(9), type: .refundFull)
      })
    #expect(try #require(ledger.explain("kid", at: day(11)).first).sentence.contains("Apple revoked it from the customer"))
  }

  @Test func `transactions come by purchase date then id, and only those that concern the entitlement`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("10"), as: "ana")
    try ledger.record(lifetime("2") { $0.purchaseDate = day(-1) }, as: "ana")
    try ledger.record(season("9"), as: "ana")
    #expect(ledger.explain("ana", at: day(1)).map(\.record.transaction.transactionID) == ["2", "9", "10"])
    #expect(ledger.explain("ana", entitlement: "pro", at: day(1)).map(\.record.transaction.transactionID) == ["2", "10"])
    #expect(ledger.explain("bob", at: day(1)).isEmpty)
  }
}
