import Entitlements
import Testing

/// Which of several transactions answers, and with what reason.
struct AnswerTests {
  private func ledger(_ transactions: Transaction...) throws -> Ledger {
    var ledger = Ledger.sample()
    for transaction in transactions { try ledger.record(transaction, as: "ana") }
    return ledger
  }

  // MARK: - Nothing to answer with

  @Test func `one who holds nothing is unknown, and one who holds something else never owned it`() throws {
    let ledger = try ledger(monthly("1"))
    #expect(ledger.reason("bob", at: day(1)) == .unknownCustomer)
    #expect(ledger.reason("ana", "brushes", at: day(1)) == .neverOwned)
  }

  @Test func `one who lost all that they held is unknown again`() throws {
    var ledger = try ledger(monthly("1"))
    try ledger.record(monthly("1"), as: "bob")
    #expect(ledger.reason("ana", at: day(1)) == .unknownCustomer)
  }

  @Test func `a shared non-renewing product counts as none`() throws {
    let ledger = try ledger(season("1") { $0.share() })
    #expect(ledger.reason("ana", "season", at: day(1)) == .neverOwned)
  }

  // MARK: - Grants

  @Test func `any transaction that grants is enough`() throws {
    let ledger = try ledger(monthly("1") { $0.refund(at: day(2)) }, lifetime("2"))
    #expect(ledger.reason("ana", at: day(5)) == .purchased)
    #expect(ledger.reason("ana", "pro.monthly", at: day(5)) == .refunded)
  }

  @Test func `an unrelated purchase never keeps alive what was refunded`() throws {
    let ledger = try ledger(monthly("1") { $0.refund(at: day(2)) }, coins("2"), season("3"))
    #expect(ledger.reason("ana", at: day(5)) == .refunded)
  }

  @Test func `the grant that lasts longest answers, never-ending first`() throws {
    let ledger = try ledger(
      monthly("1"), monthly("2") { $0.expiresDate = day(40) },
      lifetime("3") {
        $0.purchaseDate = day(5)
        $0.share()
      })
    #expect(ledger.decision("ana", at: day(1)) == Decision(reason: .purchased, validUntil: day(40), ownership: .purchased))
    #expect(
      ledger.decision("ana", at: day(5))
        == Decision(reason: .familyShared, validUntil: .distantFuture, ownership: .familyShared))
  }

  @Test func `of grants that last as long a purchase answers before a share`() throws {
    let ledger = try ledger(monthly("1"), monthly("2") { $0.share() })
    #expect(ledger.decision("ana", at: day(1)).ownership == .purchased)
  }

  @Test(arguments: [
    ("9", "10", "10"), ("0009", "10", "10"), ("9", "1a", "9"), ("b", "a", "b"),
    ("99999999999999999999999", "100000000000000000000000", "100000000000000000000000"),
  ])
  func `of grants that end together the greater transaction id answers, as numbers if both are`(
    one: String, other: String, winner: String
  ) throws {
    // Only the reason tells them apart: one is in its grace period, the other in its paid one.
    for (grace, paid) in [(one, other), (other, one)] {
      var ledger = try ledger(monthly(Identifier(grace)), monthly(Identifier(paid)) { $0.expiresDate = day(36) })
      try ledger.record(renewal(of: Identifier(grace), signed: day(30), grace: day(36)))
      #expect(
        ledger.decision("ana", at: day(31))
          == Decision(reason: winner == grace ? .gracePeriod : .purchased, validUntil: day(36), ownership: .purchased))
    }
  }

  // MARK: - One transaction's reason

  @Test func `a consumable is a consumable, whatever else it is`() throws {
    let ledger = try ledger(
      coins("1") {
        $0.isUpgraded = true
        $0.refund(at: day(1))
      })
    for number in [-5, 0, 5] as [Int64] { #expect(ledger.reason("ana", "coins", at: day(number)) == .consumable) }
  }

  @Test func `however many consumables there are, all answers are those of the rule for all of them`() throws {
    var ledger = try ledger(monthly("1"), coins("2"), transaction("3", product: "coins.100", .nonConsumable))
    for number in 4..<40 as Range<Int64> {
      let spent = coins(Identifier("\(number)")) { ($0.priceMilliunits, $0.purchaseDate) = (number % 12, day(number)) }
      try ledger.record(spent, as: "ana")
    }
    try ledger.record(transaction("40", product: "coins.100", .autoRenewableSubscription) { $0.expiresDate = day(9) }, as: "ana")
    let access = try #require(ledger.access(of: "ana"))
    let grounds = ledger.holdings(of: "ana").filter { ledger.records[$0].transaction.productID == "coins.100" }
      .map { AccessGround.transaction(ledger.access(by: $0)) }
    for number in -1..<45 as Range<Int64> {
      #expect(access.decision(for: "coins.100", at: day(number)) == EntitlementFold.decision(of: grounds, at: day(number)))
    }
  }

  @Test func `an upgraded one is upgraded, before its start and when revoked too`() throws {
    let ledger = try ledger(
      monthly("1") {
        $0.isUpgraded = true
        $0.refund(at: day(1))
      })
    for number in [-5, 0, 5, 50] as [Int64] { #expect(ledger.reason("ana", at: day(number)) == .upgraded) }
  }

  @Test(arguments: [(29, Reason.refunded), (30, .refunded), (31, .expired)] as [(Int64, Reason)])
  func `of its end and its revocation what came first is the reason, the revocation in the same millisecond`(
    revoked: Int64, reason: Reason
  ) throws {
    let ledger = try ledger(monthly("1") { $0.refund(at: day(revoked)) })
    #expect(ledger.reason("ana", at: day(40)) == reason)
  }

  @Test(
    arguments: [
      (9, 10, Reason.familyAccessEnded), (10, 10, .familyAccessEnded), (11, 10, .sharedPurchaseRefunded),
      (40, 30, .sharedPurchaseRefunded), (40, 31, .expired),
    ] as [(Int64, Int64, Reason)])
  func `the purchaser's refund ranks between the own revocation and the end`(
    revoked: Int64, refunded: Int64, reason: Reason
  ) throws {
    var ledger = try ledger(
      monthly("2") {
        $0.share()
        $0.refund(at: day(revoked), type: .familyRevoke)
      })
    try ledger.record(monthly("2") { $0.share() }, as: "ana", sharedFrom: ["1"])
    try ledger.record(
      lifetime("1") { $0.refund(at: day(refunded)) }, as: "bob")
    #expect(ledger.reason("ana", at: day(50)) == reason)
  }

  // MARK: - Several that deny

  @Test func `the one whose access ended last gives the reason`() throws {
    let ledger = try ledger(monthly("1"), monthly("2") { $0.refund(at: day(29)) }, monthly("3") { $0.expiresDate = day(31) })
    #expect(ledger.reason("ana", at: day(29)) == .purchased)
    #expect(ledger.reason("ana", at: day(40)) == .expired)
    let other = try self.ledger(monthly("1"), lifetime("2") { $0.refund(at: day(30, plus: 1)) })
    #expect(other.reason("ana", at: day(40)) == .refunded)
  }

  @Test func `in the same millisecond a purchase gives the reason before a share`() throws {
    let ledger = try ledger(
      lifetime("1") { $0.refund(at: day(30)) },
      monthly("2") { $0.share() })
    #expect(ledger.reason("ana", at: day(40)) == .refunded)
    let other = try self.ledger(
      monthly("1"),
      lifetime("2") {
        $0.share()
        $0.refund(at: day(30))
      })
    #expect(other.reason("ana", at: day(40)) == .expired)
  }

  @Test(arguments: [("9", "10", Reason.expired), ("10", "9", .refunded)])
  func `in the same millisecond and ownership the greater transaction id gives the reason`(
    refunded: String, expired: String, reason: Reason
  ) throws {
    let ledger = try ledger(lifetime(Identifier(refunded)) { $0.refund(at: day(30)) }, monthly(Identifier(expired)))
    #expect(ledger.reason("ana", at: day(40)) == reason)
  }

  @Test func `a moment of ending counts even before the purchase`() throws {
    let ledger = try ledger(
      monthly("1") { $0.expiresDate = day(3) },
      lifetime("2") {
        $0.purchaseDate = day(10)
        $0.refund(at: day(2))
      })
    #expect(ledger.reason("ana", at: day(20)) == .expired)
  }

  @Test func `what ended gives the reason before what never began, was upgraded, or is consumed`() throws {
    let ahead = lifetime("1") { $0.purchaseDate = day(90) }
    let upgraded = monthly("2") { $0.isUpgraded = true }
    let consumable = coins("3") { $0.productID = "lifetime" }
    #expect(try ledger(ahead, upgraded, consumable, monthly("4")).reason("ana", at: day(40)) == .expired)
    #expect(try ledger(upgraded, consumable, ahead).reason("ana", at: day(40)) == .notYetValid)
    #expect(try ledger(consumable, upgraded).reason("ana", at: day(40)) == .upgraded)
    #expect(try ledger(consumable, upgraded).reason("ana", "lifetime", at: day(40)) == .consumable)
  }

  @Test func `billing retry is the reason of the latest expiry alone`() throws {
    var ledger = try ledger(
      monthly("1"),
      monthly("2", of: "1") {
        $0.productID = "plus.monthly"
        $0.expiresDate = day(60)
      })
    try ledger.record(renewal(of: "1", signed: day(60), retrying: true))
    #expect(ledger.reason("ana", "pro", at: day(61)) == .expired)
    #expect(ledger.reason("ana", "plus", at: day(61)) == .billingRetry)
    #expect(ledger.reason("ana", "plus", at: day(59)) == .purchased)
  }

  // MARK: - All moments

  @Test(arguments: [Moment.distantPast, Moment(milliseconds: .min + 1), Moment(milliseconds: .max - 1), .distantFuture])
  func `extreme moments are answered`(moment: Moment) throws {
    let ledger = try ledger(
      monthly("1"), lifetime("2") { $0.purchaseDate = nil }, monthly("3") { $0.expiresDate = nil }, season("4"), coins("5"))
    _ = ledger.decision("ana", at: moment)
    _ = ledger.decision("ana", "season", at: moment)
    _ = ledger.explain("ana", at: moment)
    #expect(!moment.iso8601.isEmpty)
  }

  @Test func `a timeline merges what is equal and answers from each moment on until the next`() {
    var timeline = Timeline()
    #expect(timeline.decision(at: day(0)) == .denied(.neverOwned))
    timeline.append(.denied(.notYetValid), from: .distantPast)
    timeline.append(.denied(.expired), from: day(1))
    timeline.append(.denied(.refunded), from: day(1))
    timeline.append(.denied(.refunded), from: day(2))
    #expect(timeline.segments.map(\.from) == [.distantPast, day(1)])
    #expect(timeline.decision(at: day(1, plus: -1)) == .denied(.notYetValid))
    #expect(timeline.decision(at: day(1)) == .denied(.refunded))
    timeline.append(.denied(.notYetValid), from: day(1))
    #expect(timeline.segments.map(\.from) == [.distantPast])
  }
}
