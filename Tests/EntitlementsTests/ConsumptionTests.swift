import Entitlements
import Testing

/// What is known for the answer to a CONSUMPTION_REQUEST.
struct ConsumptionTests {
  private func consumption(_ ledger: Ledger, at now: Moment, _ usage: CountedUsage = CountedUsage()) -> Consumption {
    ledger.consumption(of: 0, by: "ana", at: now, usage)
  }

  private func monthlyLedger() throws -> Ledger {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1") { ($0.priceMilliunits, $0.currency) = (9_990, "USD") }, as: "ana")
    return ledger
  }

  @Test func `a subscription that was used is delivered and partly consumed, and fully once it is over`() throws {
    let used = CountedUsage(checks: ["ana": ["pro": (3, day(14)), "pro.monthly": (2, day(10))]])
    let half = consumption(try monthlyLedger(), at: day(15), used)
    #expect(half.isDelivered == true)
    #expect((half.checks, half.lastUsed) == (CheckCount(checks: 5), day(14)))
    #expect((half.percentage, half.status) == (50_000, 2))
    let over = consumption(try monthlyLedger(), at: day(31), used)
    #expect((over.percentage, over.status) == (100_000, 3))
  }

  @Test func `what was never used isn't consumed, and what never granted isn't delivered`() throws {
    let unused = consumption(try monthlyLedger(), at: day(15))
    #expect((unused.isDelivered, unused.percentage, unused.status, unused.lastUsed) == (true, 0, 1, nil))
    var ledger = Ledger.sample()
    try ledger.record(monthly("1") { $0.isUpgraded = true }, as: "ana")
    #expect(consumption(ledger, at: day(15)).isDelivered == false)
    #expect(consumption(try monthlyLedger(), at: day(-1)).isDelivered == false)
  }

  @Test func `use before the purchase doesn't count`() throws {
    let earlier = CountedUsage(checks: ["ana": ["pro": (3, day(-1))]])
    #expect(consumption(try monthlyLedger(), at: day(15), earlier).checks == CheckCount())
  }

  @Test func `a lasting purchase has no percentage, and a consumable is the app's to deliver`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), as: "ana")
    #expect(consumption(ledger, at: day(15)).percentage == nil)
    ledger = Ledger.sample()
    try ledger.record(coins("1"), as: "ana")
    let known = consumption(ledger, at: day(15))
    #expect((known.isDelivered, known.percentage, known.status) == (nil, nil, 0))
  }

  @Test func `money is that of the customer's own purchases, in the server's environment`() throws {
    var ledger = Ledger.sample { $0.sandboxCustomers = ["ana"] }
    func priced(_ id: Identifier, _ price: Int64?, _ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
      lifetime(id) {
        ($0.priceMilliunits, $0.currency) = (price, "USD")
        change(&$0)
      }
    }
    try ledger.record(priced("1", 40_000), as: "ana")
    try ledger.record(priced("2", 30_000) { $0.refund(at: day(3)) }, as: "ana")
    try ledger.record(priced("3", 5_000) { $0.share() }, as: "ana")
    try ledger.record(priced("4", 5_000) { $0.environment = .sandbox }, as: "ana")
    try ledger.record(priced("5", 5_000), as: "bob")
    let known = consumption(ledger, at: day(15))
    #expect(known.purchased == ["USD": 70_000])
    #expect(known.refunded == ["USD": 30_000])
    #expect(known.refunds == 1)
    #expect((known.dollarClass(of: known.purchased), known.dollarClass(of: known.refunded)) == (3, 2))
    try ledger.record(priced("6", nil), as: "ana")
    let vague = consumption(ledger, at: day(15))
    #expect(vague.dollarClass(of: vague.refunded) == nil)
  }

  @Test(
    arguments: [
      (0, 1), (2, 1), (3, 2), (9, 2), (10, 3), (29, 3), (30, 4), (89, 4), (90, 5), (179, 5), (180, 6), (364, 6), (365, 7),
    ] as [(Int64, Int)])
  func `the tenure is Apple's class of the days since the first purchase`(days: Int64, tenure: Int) throws {
    #expect(consumption(try monthlyLedger(), at: day(days)).accountTenure(at: day(days)) == tenure)
  }

  @Test(
    arguments: [
      (0, 1), (10, 2), (49_990, 2), (50_000, 3), (99_999, 3), (100_000, 4), (499_999, 4), (500_000, 5), (1_000_000, 6),
      (1_999_999, 6), (2_000_000, 7),
    ] as [(Int64, Int)])
  func `dollars are in Apple's classes`(milliunits: Int64, expected: Int) throws {
    #expect(consumption(try monthlyLedger(), at: day(1)).dollarClass(of: ["USD": milliunits]) == expected)
  }
}
