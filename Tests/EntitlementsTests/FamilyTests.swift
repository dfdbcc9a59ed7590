import Entitlements
import Testing

/// Rule 7: the purchase behind a shared transaction.
struct FamilyTests {
  private let copy = lifetime("2") { $0.share() }
  private let purchase = lifetime("1")
  private let refund = lifetime("1") { $0.refund(at: day(10)) }

  @Test func `the purchaser's refund cuts a linked member in the same recording, and its reversal gives back`() throws {
    var ledger = Ledger.sample()
    try ledger.record(copy, as: "kid", sharedFrom: ["1"])
    try ledger.record(purchase, as: "buyer")
    #expect(ledger.decision("kid", at: day(9)).validUntil == .distantFuture)
    #expect(try ledger.record(refund).affected == ["buyer", "kid"])
    #expect(ledger.decision("kid", at: day(9)).validUntil == day(10))
    #expect(ledger.reason("kid", at: day(10)) == .sharedPurchaseRefunded)
    #expect(try ledger.record(lifetime("1") { $0.signedDate = day(20) }).affected == ["buyer", "kid"])
    #expect(ledger.decision("kid", at: day(10)).validUntil == .distantFuture)
  }

  @Test func `a link may be given before the purchaser's recording, after it, or after the refund`() throws {
    var after = Ledger.sample()
    try after.record(refund, as: "buyer")
    try after.record(copy, as: "kid")
    #expect(after.reason("kid", at: day(10)) == .familyShared)
    #expect(try after.record(copy, sharedFrom: ["1"]).outcome == .applied)
    #expect(after.reason("kid", at: day(10)) == .sharedPurchaseRefunded)
  }

  @Test func `an unclaimed purchaser counts`() throws {
    var ledger = Ledger.sample()
    try ledger.record(copy, as: "kid", sharedFrom: ["1"])
    #expect(try ledger.record(refund).outcome == .unclaimed)
    #expect(ledger.reason("kid", at: day(10)) == .sharedPurchaseRefunded)
  }

  @Test func `a purchase with the same original id counts as linked`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("2", of: "1") { $0.share() }, as: "kid")
    let recorded = try ledger.record(refund, as: "buyer")
    #expect(recorded.affected == ["buyer", "kid"])
    #expect(ledger.reason("kid", at: day(10)) == .sharedPurchaseRefunded)
    #expect(ledger.holders(of: "2") == ["kid"])
  }

  @Test func `a link holds for later renewals of the same copy`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("2") { $0.share() }, as: "kid", sharedFrom: ["1"])
    try ledger.record(
      monthly("3", of: "2") {
        $0.share()
        ($0.purchaseDate, $0.expiresDate) = (day(30), day(60))
      })
    try ledger.record(
      monthly("4", of: "1") {
        ($0.purchaseDate, $0.expiresDate) = (day(30), day(60))
        $0.refund(at: day(40))
      }, as: "buyer")
    #expect(ledger.reason("kid", at: day(39)) == .familyShared)
    #expect(ledger.reason("kid", at: day(40)) == .sharedPurchaseRefunded)
  }

  @Test func `a refund reaches whoever holds something beside the linked copy`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("2") { $0.share() }, as: "kid", sharedFrom: ["1"])
    try ledger.record(lifetime("3") { $0.share() }, as: "teen")
    // A newer version that changes what it is held together with stays with its holder.
    try ledger.record(
      lifetime("3", of: "2") {
        $0.share()
        $0.signedDate = day(1)
      })
    #expect(try ledger.record(refund, as: "buyer").affected == ["buyer", "kid", "teen"])
    #expect(ledger.reason("teen", at: day(10)) == .sharedPurchaseRefunded)
  }

  @Test func `only a refunded period that overlaps cuts, and periods that only touch don't`() throws {
    for (purchased, cut) in [(29, true), (30, false)] as [(Int64, Bool)] {
      var ledger = Ledger.sample()
      try ledger.record(monthly("2") { $0.share() }, as: "kid", sharedFrom: ["1"])
      try ledger.record(
        lifetime("1") {
          $0.purchaseDate = day(purchased)
          $0.refund(at: day(5))
        }, as: "buyer")
      #expect(ledger.reason("kid", at: day(20)) == (cut ? .sharedPurchaseRefunded : .familyShared))
    }
  }

  @Test func `grace belongs to the period`() throws {
    var ledger = Ledger.sample()
    try ledger.record(
      lifetime("2") {
        $0.share()
        $0.purchaseDate = day(33)
      }, as: "kid", sharedFrom: ["1"])
    try ledger.record(monthly("1") { $0.refund(at: day(34)) }, as: "buyer")
    #expect(ledger.reason("kid", at: day(40)) == .familyShared)
    let recorded = try ledger.record(renewal(of: "1", signed: day(31), grace: day(36)))
    #expect(recorded.affected.contains("kid"))
    #expect(ledger.reason("kid", at: day(40)) == .sharedPurchaseRefunded)
  }

  @Test func `a purchase of a product that grants none of the same entitlements is no linked purchase`() throws {
    var ledger = Ledger.sample()
    try ledger.record(copy, as: "kid", sharedFrom: ["1"])
    try ledger.record(transaction("1", product: "brushes", .nonConsumable) { $0.refund(at: day(10)) }, as: "buyer")
    #expect(ledger.reason("kid", at: day(11)) == .familyShared)
  }

  @Test(arguments: [true, false])
  func `an upgraded or bundled purchase is no refund, nor does it stand behind`(upgraded: Bool) throws {
    var ledger = Ledger.sample()
    try ledger.record(copy, as: "kid", sharedFrom: ["1", "5"])
    let bundled = refund.with {
      $0.isUpgraded = upgraded
      $0.revocationReason = upgraded ? .other : .upgradedToBundle
    }
    try ledger.record(bundled, as: "buyer")
    #expect(ledger.reason("kid", at: day(20)) == .familyShared)
    try ledger.record(lifetime("5") { $0.refund(at: day(12)) }, as: "other")
    #expect(ledger.reason("kid", at: day(20)) == .sharedPurchaseRefunded)
  }

  @Test func `a REVOKE without a date of the purchase cuts no linked member`() throws {
    var ledger = Ledger.sample()
    try ledger.record(copy, as: "kid", sharedFrom: ["1"])
    try ledger.record(purchase, as: "buyer", mark: day(10))
    #expect(ledger.reason("buyer", at: day(10)) == .refunded)
    #expect(ledger.reason("kid", at: day(10)) == .familyShared)
  }

  @Test func `a consumable or typeless purchase has no period and is no evidence`() throws {
    for type in [ProductType.consumable, .other("New")] {
      var ledger = Ledger.sample()
      try ledger.record(copy, as: "kid", sharedFrom: ["1"])
      try ledger.record(refund.with { $0.type = type }, as: "buyer")
      #expect(ledger.reason("kid", at: day(10)) == .familyShared)
    }
  }

  // MARK: - Several purchases

  @Test func `another linked purchase that grants stands behind it, as long as it does`() throws {
    var ledger = Ledger.sample()
    try ledger.record(copy, as: "kid", sharedFrom: ["1", "5"])
    try ledger.record(refund, as: "buyer")
    try ledger.record(
      monthly("5") { ($0.purchaseDate, $0.expiresDate) = (day(10), day(40)) }, as: "other")
    #expect(ledger.decision("kid", at: day(11)) == Decision(reason: .familyShared, validUntil: day(40), ownership: .familyShared))
    #expect(ledger.reason("kid", at: day(40)) == .sharedPurchaseRefunded)
  }

  @Test func `a gap between two purchases denies for its time, the purchase's clock skew included`() throws {
    var ledger = Ledger.sample()
    try ledger.record(copy, as: "kid", sharedFrom: ["1"])
    try ledger.record(copy, sharedFrom: ["5"])
    try ledger.record(refund, as: "buyer")
    try ledger.record(lifetime("5") { $0.purchaseDate = day(20) }, as: "other")
    #expect(ledger.decision("kid", at: day(9)).validUntil == day(10))
    #expect(ledger.reason("kid", at: day(10)) == .sharedPurchaseRefunded)
    #expect(ledger.reason("kid", at: day(20, plus: -60_001)) == .sharedPurchaseRefunded)
    #expect(ledger.reason("kid", at: day(20, plus: -60_000)) == .familyShared)
    #expect(ledger.decision("kid", at: day(20)).validUntil == .distantFuture)
  }

  @Test func `the moment of the refund is the earliest, even where another purchase stood behind it for a while`() throws {
    var ledger = Ledger.sample()
    try ledger.record(copy, as: "kid", sharedFrom: ["1", "5"])
    try ledger.record(refund, as: "buyer")
    try ledger.record(monthly("5") { $0.refund(at: day(20)) }, as: "other")
    // Kid's own month ended on day 15: after the refund of day 10, though before day 20.
    try ledger.record(monthly("9") { $0.expiresDate = day(15) }, as: "kid")
    #expect(ledger.reason("kid", at: day(19)) == .familyShared)
    #expect(ledger.reason("kid", at: day(20)) == .expired)
    #expect(ledger.reason("kid", "lifetime", at: day(20)) == .sharedPurchaseRefunded)
  }

  @Test func `renewals of the purchaser that were never recorded cut nobody`() throws {
    var ledger = Ledger.sample()
    try ledger.record(copy, as: "kid", sharedFrom: ["1"])
    try ledger.record(monthly("1"), as: "buyer")
    #expect(ledger.reason("kid", at: day(90)) == .familyShared)
  }

  // MARK: - Errors, limits, anomalies

  @Test func `a link with a transaction that isn't shared is an error`() {
    var ledger = Ledger.sample()
    let refusal = #expect(throws: Refusal.self) { try ledger.record(purchase, as: "buyer", sharedFrom: ["5"]) }
    guard case .invalid(let field, _) = refusal else { return #expect(refusal == nil) }
    #expect(field == "shared_from")
  }

  @Test func `sixty-four members can be linked to one purchase, renewals counted once, and one more is refused`() throws {
    var ledger = Ledger.sample()
    try ledger.record(purchase, as: "buyer")
    for number in 1...64 {
      let id = Identifier("m\(number)")
      try ledger.record(monthly(id) { $0.share() }, as: id, sharedFrom: ["1"])
    }
    try ledger.record(monthly("renewal", of: "m1") { $0.share() }, sharedFrom: ["1"])
    try ledger.record(monthly("m64") { $0.share() }, sharedFrom: ["1", "1"])
    let before = ledger.contents
    let refusal = #expect(throws: Refusal.self) {
      try ledger.record(monthly("m65") { $0.share() }, as: "m65", sharedFrom: ["1"])
    }
    guard case .precondition(let field, _) = refusal else { return #expect(refusal == nil) }
    #expect(field == "shared_from")
    #expect(ledger.contents == before)
    #expect(try ledger.record(monthly("m65") { $0.share() }, as: "m65", sharedFrom: ["5"]).outcome == .applied)
  }

  @Test func `a recording of several rows that would pass the limit together is refused as a whole`() throws {
    var ledger = Ledger.sample()
    for number in 1...63 { try ledger.record(monthly(Identifier("m\(number)")) { $0.share() }, as: "ana", sharedFrom: ["1"]) }
    let before = ledger.contents
    let rows = ["m64", "m65"].map { id in Recording.Row(transaction: monthly(Identifier(id)) { $0.share() }) }
    #expect(throws: Refusal.self) {
      try ledger.record(Recording(customer: "ana", rows: rows, sharedFrom: ["1"], receivedAt: day(0)))
    }
    #expect(ledger.contents == before)
  }

  @Test func `more than six people on one purchase is a warning and denies nobody`() throws {
    var ledger = Ledger.sample()
    try ledger.record(purchase, as: "buyer")
    for number in 1...5 {
      let recorded = try ledger.record(
        lifetime(Identifier("m\(number)")) { $0.share() }, as: Identifier("m\(number)"), sharedFrom: ["1"])
      #expect(recorded.warnings.isEmpty)
    }
    let recorded = try ledger.record(lifetime("m6") { $0.share() }, as: "m6", sharedFrom: ["1"])
    #expect(recorded.outcome == .applied)
    #expect(recorded.warnings.count == 1)
    #expect(ledger.peopleSharing(ScopedID(.production, "1")) == 7)
    #expect(ledger.reason("m6", at: day(1)) == .familyShared)
  }
}
