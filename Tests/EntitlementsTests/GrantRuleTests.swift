import Entitlements
import Testing

/// Rules 1, 3 and 4 of the fold, and rule 6 without grace.
struct GrantRuleTests {
  // MARK: - Rule 1: known type and ownership

  @Test(arguments: [
    (ProductType.nonConsumable, Reason.purchased), (.autoRenewableSubscription, .purchased),
    (.nonRenewingSubscription, .purchased), (.consumable, .consumable), (.other("Seat Assignment"), .neverOwned),
  ])
  func `a purchased transaction grants by its type`(type: ProductType, reason: Reason) throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1") { $0.type = type }, as: "ana")
    #expect(ledger.reason("ana", at: day(1)) == reason)
  }

  @Test(arguments: [
    (ProductType.nonConsumable, Reason.familyShared), (.autoRenewableSubscription, .familyShared),
    (.nonRenewingSubscription, .neverOwned), (.consumable, .consumable), (.other("Seat Assignment"), .neverOwned),
  ])
  func `a shared transaction grants if its type can be shared`(type: ProductType, reason: Reason) throws {
    var ledger = Ledger.sample()
    try ledger.record(
      monthly("1") {
        $0.type = type
        $0.share()
      }, as: "ana")
    #expect(ledger.reason("ana", at: day(1)) == reason)
  }

  @Test func `an unknown ownership is recorded and never grants`() throws {
    var ledger = Ledger.sample()
    let recorded = try ledger.record(monthly("1") { $0.ownership = Ownership(text: "ASSIGNED") }, as: "ana")
    #expect(recorded.outcome == .applied)
    #expect(recorded.warnings == [#"transaction 1: the ownership "ASSIGNED" is unknown, so it grants nothing"#])
    #expect(ledger.records[0].transaction.ownership.text == "ASSIGNED")
    #expect(ledger.reason("ana", at: day(1)) == .neverOwned)
  }

  @Test func `an unknown type is one warning, quoted on one line, whatever the catalog says`() throws {
    var ledger = Ledger.sample()
    let recorded = try ledger.record(lifetime("1") { $0.type = .other("Raffle\n\u{1B}[2J") }, as: "ana")
    #expect(recorded.warnings == [#"transaction 1: the type "Raffle\n\u{1B}[2J" is unknown, so it grants nothing"#])
  }

  @Test func `the transaction's type counts and one in the catalog that differs is a warning`() throws {
    var ledger = Ledger.sample()
    let recorded = try ledger.record(monthly("1") { $0.productID = "lifetime" }, as: "ana")
    #expect(ledger.reason("ana", at: day(30)) == .expired)
    #expect(
      recorded.warnings == [
        "transaction 1: its type is Auto-Renewable Subscription, which counts, though the catalog calls product lifetime a "
          + "Non-Consumable"
      ])
  }

  @Test func `a missing type is the catalog's, else auto-renewable if there is an expiry, else unknown`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { $0.type = nil }, as: "ana")
    try ledger.record(monthly("2") { ($0.type, $0.productID) = (nil, "unlisted") }, as: "ana")
    let unknown = try ledger.record(lifetime("3") { ($0.type, $0.productID) = (nil, "other") }, as: "ana")
    #expect(ledger.decision("ana", at: day(99)).validUntil == .distantFuture)
    #expect(ledger.reason("ana", "unlisted", at: day(29)) == .purchased)
    #expect(ledger.reason("ana", "unlisted", at: day(30)) == .expired)
    #expect(ledger.reason("ana", "other", at: day(1)) == .neverOwned)
    #expect(
      unknown.warnings == [
        "transaction 3: missing type, which the catalog doesn't tell of product other either, so it grants nothing"
      ])
  }

  @Test func `without a catalog each product grants the entitlement of its own name`() throws {
    var ledger = Ledger()
    try ledger.record(monthly("1"), as: "ana")
    #expect(ledger.reason("ana", "pro.monthly", at: day(1)) == .purchased)
    #expect(ledger.reason("ana", "pro", at: day(1)) == .neverOwned)
  }

  @Test func `with a catalog a product grants its entitlements and that of its own name`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1"), as: "ana")
    #expect(ledger.reason("ana", "pro", at: day(1)) == .purchased)
    #expect(ledger.reason("ana", "pro.monthly", at: day(1)) == .purchased)
    #expect(ledger.reason("ana", "plus", at: day(1)) == .neverOwned)
  }

  @Test func `ids are bytes so canonically equivalent ones are two customers`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1"), as: "andr\u{e9}")
    #expect(ledger.reason("andr\u{e9}", at: day(1)) == .purchased)
    #expect(ledger.reason("andre\u{301}", at: day(1)) == .unknownCustomer)
  }

  // MARK: - Rule 3: begun

  @Test(arguments: [0, 60_000, 90_000] as [Int64])
  func `clock skew widens the start only`(skew: Int64) throws {
    var ledger = Ledger.sample { $0.clockSkewMilliseconds = skew }
    try ledger.record(monthly("1"), as: "ana")
    #expect(ledger.reason("ana", at: day(0, plus: -skew - 1)) == .notYetValid)
    #expect(ledger.reason("ana", at: day(0, plus: -skew)) == .purchased)
    #expect(ledger.reason("ana", at: day(30, plus: -1)) == .purchased)
    #expect(ledger.reason("ana", at: day(30)) == .expired)
  }

  @Test func `without a purchase date it never grants`() throws {
    var ledger = Ledger.sample()
    let recorded = try ledger.record(lifetime("1") { $0.purchaseDate = nil }, as: "ana")
    #expect(ledger.reason("ana", at: day(1)) == .notYetValid)
    #expect(recorded.warnings == ["transaction 1: missing purchase date, without which it grants nothing"])
  }

  // MARK: - Rule 4: not upgraded

  @Test func `an upgraded transaction grants nothing though its expiry lies ahead`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1") { $0.isUpgraded = true }, as: "ana")
    #expect(ledger.reason("ana", at: day(1)) == .upgraded)
    #expect(ledger.reason("ana", at: day(-9)) == .upgraded)
    #expect(ledger.reason("ana", at: day(99)) == .upgraded)
  }

  // MARK: - Rule 6: not over

  @Test func `a non-consumable is never over`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { $0.expiresDate = day(3) }, as: "ana")
    #expect(
      ledger.decision("ana", at: Moment.accepted.upperBound)
        == Decision(reason: .purchased, validUntil: .distantFuture, ownership: .purchased))
  }

  @Test func `an auto-renewable without an expiry is already over`() throws {
    var ledger = Ledger.sample()
    let recorded = try ledger.record(monthly("1") { $0.expiresDate = nil }, as: "ana")
    #expect(ledger.reason("ana", at: day(1)) == .expired)
    #expect(
      recorded.warnings == [
        "transaction 1: missing expiry: an auto-renewable subscription without expiresDate grants nothing"
      ])
  }

  @Test func `an auto-renewable ends in the millisecond of its expiry`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1"), as: "ana")
    #expect(
      ledger.decision("ana", at: day(30, plus: -1))
        == Decision(reason: .purchased, validUntil: day(30), ownership: .purchased))
    #expect(ledger.decision("ana", at: day(30)) == .denied(.expired))
  }

  // MARK: - Catalog periods of non-renewing subscriptions

  @Test func `a non-renewing subscription without a period in the catalog is never over`() throws {
    var ledger = Ledger()
    try ledger.record(season("1"), as: "ana")
    #expect(ledger.decision("ana", "season.pass", at: day(9_999)).validUntil == .distantFuture)
  }

  @Test(arguments: [
    ("2026-01-31T10:00:00Z", "P1M", "2026-02-28T10:00:00Z"), ("2028-01-31T10:00:00Z", "P1M", "2028-02-29T10:00:00Z"),
    ("2028-02-29T00:00:00Z", "P1Y", "2029-02-28T00:00:00Z"), ("2028-02-29T00:00:00Z", "P4Y", "2032-02-29T00:00:00Z"),
    ("2026-12-31T23:59:59.999Z", "P2M", "2027-02-28T23:59:59.999Z"), ("2026-03-01T00:00:00Z", "P2W", "2026-03-15T00:00:00Z"),
    ("2026-01-30T00:00:00Z", "P1M1D", "2026-03-01T00:00:00Z"), ("2100-01-31T00:00:00Z", "P1M", "2100-02-28T00:00:00Z"),
    ("2000-01-31T00:00:00Z", "P1M", "2000-02-29T00:00:00Z"), ("2026-02-28T00:00:00Z", "P1D", "2026-03-01T00:00:00Z"),
  ])
  func `a catalog period ends by the calendar of UTC`(from: String, period: String, until: String) throws {
    var ledger = Ledger(
      catalog: Catalog(products: ["season.pass": .init(accessPeriod: AccessPeriod(iso8601: period))]))
    let start = try #require(Moment(iso8601: from))
    let end = try #require(Moment(iso8601: until))
    try ledger.record(season("1") { $0.purchaseDate = start }, as: "ana")
    #expect(ledger.decision("ana", "season.pass", at: start).validUntil == end)
    #expect(ledger.reason("ana", "season.pass", at: end.earlier(byMilliseconds: 1)) == .purchased)
    #expect(ledger.reason("ana", "season.pass", at: end) == .expired)
  }

  @Test func `a changed catalog changes what the same history grants`() throws {
    var ledger = Ledger.sample()
    try ledger.record(season("1"), as: "ana")
    #expect(ledger.reason("ana", "season", at: day(40)) == .expired)
    ledger.replace(catalog: Catalog())
    #expect(ledger.reason("ana", "season", at: day(40)) == .neverOwned)
    #expect(ledger.reason("ana", "season.pass", at: day(40)) == .purchased)
  }
}
