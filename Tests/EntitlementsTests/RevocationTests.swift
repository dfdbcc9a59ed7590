import Entitlements
import Testing

/// Rule 5: revocation dates, REVOKE marks without one, and reversals.
struct RevocationTests {
  @Test func `a revocation ends access in its own millisecond and leaves the time before as it was`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1") { $0.refund(at: day(10)) }, as: "ana")
    #expect(
      ledger.decision("ana", at: day(10, plus: -1)) == Decision(reason: .purchased, validUntil: day(10), ownership: .purchased))
    #expect(ledger.reason("ana", at: day(10)) == .refunded)
    #expect(ledger.reason("ana", at: day(31)) == .refunded)
  }

  @Test func `a revocation before the purchase denies from the start on`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1") { $0.refund(at: day(-5)) }, as: "ana")
    #expect(ledger.reason("ana", at: day(-1)) == .notYetValid)
    #expect(ledger.reason("ana", at: day(0)) == .refunded)
  }

  @Test(arguments: [
    (Ownership.purchased, nil as RevocationType?, RevocationReason.other, Reason.refunded),
    (.purchased, .refundFull, .developerIssue, .refunded), (.purchased, .refundProrated, .other, .refunded),
    (.purchased, .familyRevoke, .other, .refunded), (.purchased, .other("NEW"), .unnamed("7"), .refunded),
    (.purchased, nil, .upgradedToBundle, .upgraded), (.familyShared, .familyRevoke, .upgradedToBundle, .upgraded),
    (.familyShared, .familyRevoke, .other, .familyAccessEnded), (.familyShared, nil, .other, .sharedPurchaseRefunded),
    (.familyShared, .refundFull, .other, .sharedPurchaseRefunded),
    (.familyShared, .other("NEW"), .other, .sharedPurchaseRefunded),
  ])
  func `a revocation's reason follows from its ownership, type and reason`(
    ownership: Ownership, type: RevocationType?, why: RevocationReason, reason: Reason
  ) throws {
    var ledger = Ledger.sample()
    try ledger.record(
      lifetime("1") {
        $0.ownership = ownership
        $0.refund(at: day(10), type: type)
        $0.revocationReason = why
      }, as: "ana")
    #expect(ledger.reason("ana", at: day(9)).allows)
    #expect(ledger.reason("ana", at: day(10)) == reason)
  }

  @Test func `a reversal grants again, and a stale refund that arrives later changes no answer`() throws {
    var ledger = Ledger.sample()
    let refunded = lifetime("1") { $0.refund(at: day(10)) }
    try ledger.record(refunded, as: "ana")
    let reversed = try ledger.record(lifetime("1") { $0.signedDate = day(20) })
    #expect(reversed.outcome == .applied)
    #expect(ledger.reason("ana", at: day(15)) == .purchased)
    #expect(try ledger.record(refunded).outcome == .stale)
    #expect(ledger.reason("ana", at: day(15)) == .purchased)
  }

  @Test func `a reversal may arrive before the refund, which is then kept as evidence`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { $0.signedDate = day(20) }, as: "ana")
    let refund = Recording(rows: [.init(transaction: lifetime("1") { $0.refund(at: day(10)) })], receivedAt: day(21))
    #expect(try ledger.changes(by: refund))
    #expect(try ledger.record(refund).outcome == .stale)
    #expect(ledger.reason("ana", at: day(15)) == .purchased)
    #expect(ledger.refundReport().total.reversals == 1)
    #expect(try !ledger.changes(by: refund))
  }

  // MARK: - A REVOKE without a date

  /// Ana's shared lifetime, and a REVOKE without a date that was signed on day 10.
  private func marked(_ mark: Moment = day(10), _ change: (inout Transaction) -> Void = { _ in }) throws -> Ledger {
    var ledger = Ledger.sample()
    try ledger.record(
      lifetime("1") {
        $0.share()
        change(&$0)
      }, as: "ana", mark: mark)
    return ledger
  }

  private func version(signed: Moment) -> Transaction {
    lifetime("1") {
      $0.share()
      $0.signedDate = signed
    }
  }

  @Test func `a REVOKE without a date revokes as of its signed date`() throws {
    let ledger = try marked()
    #expect(
      ledger.decision("ana", at: day(10, plus: -1))
        == Decision(reason: .familyShared, validUntil: day(10), ownership: .familyShared))
    #expect(ledger.reason("ana", at: day(10)) == .familyAccessEnded)
  }

  @Test func `a REVOKE without a date of a purchase denies, and counts as no money`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { ($0.priceMilliunits, $0.currency) = (990, "USD") }, as: "ana", mark: day(10))
    #expect(ledger.reason("ana", at: day(10)) == .refunded)
    #expect(ledger.refundReport().total.refunds == 0)
    #expect(ledger.refundReport().total.familyDepartures == 0)
    #expect(ledger.refundReport().total.amounts.isEmpty)
  }

  @Test(arguments: [(-1, Reason.familyAccessEnded), (0, .familyAccessEnded), (1, .familyShared)] as [(Int64, Reason)])
  func `only a version signed later than the mark overrules it`(milliseconds: Int64, reason: Reason) throws {
    var ledger = try marked()
    try ledger.record(version(signed: day(10, plus: milliseconds)))
    #expect(ledger.reason("ana", at: day(20)) == reason)
  }

  @Test(arguments: [(-1, Reason.familyAccessEnded), (0, .familyAccessEnded), (1, .familyShared)] as [(Int64, Reason)])
  func `a mark that arrives after the version follows the same rule`(milliseconds: Int64, reason: Reason) throws {
    var ledger = Ledger.sample()
    try ledger.record(version(signed: day(10, plus: milliseconds)), as: "ana")
    let recorded = try ledger.record(version(signed: day(0)), mark: day(10))
    #expect(recorded.outcome == (reason == .familyShared ? .stale : .applied))
    #expect(ledger.reason("ana", at: day(20)) == reason)
  }

  @Test(arguments: [(12, 0, Reason.familyAccessEnded), (12, 1, .familyShared)] as [(Int64, Int64, Reason)])
  func `a mark lasts through the version it came with, even one signed after it`(
    signed: Int64, plus: Int64, reason: Reason
  ) throws {
    var ledger = try marked(day(10)) { $0.signedDate = day(signed) }
    try ledger.record(version(signed: day(signed, plus: plus)))
    #expect(ledger.reason("ana", at: day(20)) == reason)
  }

  @Test(arguments: [[10, 5], [5, 10]] as [[Int64]])
  func `of several marks the earliest that counts decides`(days: [Int64]) throws {
    var ledger = Ledger.sample()
    for number in days { try ledger.record(version(signed: day(0)), as: "ana", mark: day(number)) }
    #expect(ledger.reason("ana", at: day(5)) == .familyAccessEnded)
    #expect(ledger.reason("ana", at: day(5, plus: -1)) == .familyShared)
    try ledger.record(version(signed: day(7)))
    #expect(ledger.reason("ana", at: day(7)) == .familyShared)
    #expect(ledger.reason("ana", at: day(10)) == .familyAccessEnded)
    try ledger.record(version(signed: day(11)))
    #expect(ledger.reason("ana", at: day(10)) == .familyShared)
  }

  @Test func `a mark that is known, or that a known one makes superfluous, is nothing new`() throws {
    var ledger = try marked(day(10))
    #expect(try ledger.record(version(signed: day(0)), mark: day(10)).outcome == .duplicate)
    #expect(try ledger.record(version(signed: day(0)), mark: day(5)).outcome == .applied)
    #expect(ledger.reason("ana", at: day(5)) == .familyAccessEnded)
  }

  @Test func `a version with a date needs no mark: its date counts alone`() throws {
    var ledger = try marked(day(5))
    try ledger.record(
      version(signed: day(0)).with {
        $0.revocationDate = day(8)
        $0.revocationType = .refundFull
      })
    #expect(ledger.reason("ana", at: day(7)) == .familyShared)
    #expect(ledger.reason("ana", at: day(8)) == .sharedPurchaseRefunded)
  }

  @Test func `a mark that a dated version hid counts again beside a later one without a date`() throws {
    var ledger = try marked(day(10))
    try ledger.record(version(signed: day(6)).with { $0.revocationDate = day(6) })
    #expect(ledger.reason("ana", at: day(6)) == .sharedPurchaseRefunded)
    try ledger.record(version(signed: day(9)))
    #expect(ledger.reason("ana", at: day(9)) == .familyShared)
    #expect(ledger.reason("ana", at: day(10)) == .familyAccessEnded)
  }
}
