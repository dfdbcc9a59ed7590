import Entitlements
import Testing

/// Whose a transaction is: attribution, what is held together, transfers, and what nobody holds yet.
struct ClaimTests {
  private func renewed(_ id: Identifier, of original: Identifier, _ change: (inout Transaction) -> Void = { _ in }) -> Transaction
  {
    monthly(id, of: original) {
      ($0.purchaseDate, $0.expiresDate) = (day(30), day(60))
      change(&$0)
    }
  }

  // MARK: - In order

  @Test func `the customer that is given comes first, then whoever holds what it is held together with`() throws {
    var ledger = Ledger.sample { $0.customerFromAppAccountToken = true }
    try ledger.record(monthly("1") { $0.appTransactionID = "A" }, as: "ana")
    try ledger.record(lifetime("5") { $0.appTransactionID = "B" }, as: "bob")
    let recorded = try ledger.record(renewed("2", of: "1") { ($0.appTransactionID, $0.appAccountToken) = ("B", "cid") })
    #expect(recorded.customer == "ana")
    let given = try ledger.record(lifetime("6") { ($0.appTransactionID, $0.appAccountToken) = ("B", "cid") }, as: "dee")
    #expect(given.customer == "dee")
  }

  @Test func `then whoever holds that original id with the same ownership and no other account`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1", of: "L") { $0.share(account: "A") }, as: "ana")
    try ledger.record(monthly("2", of: "L") { $0.share(account: "B") }, as: "bob")
    // Two accounts are known, so a copy without one is alone, and fits both.
    #expect(try ledger.record(monthly("3", of: "L") { $0.share() }).outcome == .unclaimed)
    // Another account fits neither.
    #expect(try ledger.record(monthly("4", of: "L") { $0.share(account: "C") }).outcome == .unclaimed)
    // The purchase is of another ownership.
    #expect(try ledger.record(monthly("5", of: "L")).outcome == .unclaimed)
  }

  @Test func `a copy without an account fits the one customer who holds its original id`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1", of: "L") { $0.share(account: "A") }, as: "ana")
    try ledger.record(monthly("2", of: "L") { $0.share(account: "B") })
    let recorded = try ledger.record(monthly("3", of: "L") { $0.share() })
    #expect(recorded.outcome == .applied)
    #expect(recorded.customer == "ana")
  }

  @Test func `a copy of another account isn't taken for that of the one who holds the original id`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1", of: "L") { $0.share(account: "A") }, as: "ana")
    #expect(try ledger.record(monthly("2", of: "L") { $0.share(account: "B") }).outcome == .unclaimed)
  }

  @Test func `then whoever holds that account, if it is just one`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { $0.appTransactionID = "A" }, as: "ana")
    #expect(try ledger.record(monthly("2") { $0.appTransactionID = "A" }).customer == "ana")
    try ledger.record(season("3") { $0.appTransactionID = "A" }, as: "bob")
    #expect(try ledger.record(coins("4") { $0.appTransactionID = "A" }).outcome == .unclaimed)
  }

  @Test func `then the account token where the settings say so`() throws {
    var off = Ledger.sample()
    var on = Ledger.sample { $0.customerFromAppAccountToken = true }
    let version = monthly("1") { $0.appAccountToken = "7e3fb20b" }
    #expect(try off.record(version).outcome == .unclaimed)
    #expect(try on.record(version).customer == "7e3fb20b")
    #expect(on.reason("7e3fb20b", at: day(1)) == .purchased)
  }

  // MARK: - Unclaimed, and adopted

  @Test func `what is unclaimed is adopted with all that is held together with it`() throws {
    var ledger = Ledger.sample()
    #expect(try ledger.record(monthly("1")).outcome == .unclaimed)
    #expect(try ledger.record(renewed("2", of: "1")).customer == nil)
    #expect(ledger.refundReport().total.unclaimed == 2)
    let claim = try ledger.record(monthly("1"), as: "ana")
    #expect(claim.outcome == .applied)
    #expect(claim.affected == ["ana"])
    #expect(ledger.holders(of: "2") == ["ana"])
    #expect(ledger.refundReport().total.unclaimed == 0)
  }

  @Test func `what is unclaimed is adopted by a recording for the same account, given or found`() throws {
    var given = Ledger.sample()
    try given.record(monthly("1") { $0.appTransactionID = "A" })
    try given.record(renewed("2", of: "1"))
    try given.record(lifetime("5") { $0.appTransactionID = "A" }, as: "ana")
    #expect(given.holders(of: "1") == ["ana"])
    #expect(given.holders(of: "2") == ["ana"])

    var found = Ledger.sample()
    try found.record(lifetime("5"), as: "ana")
    try found.record(monthly("1") { $0.appTransactionID = "A" })
    try found.record(lifetime("5") { ($0.appTransactionID, $0.signedDate) = ("A", day(1)) })
    #expect(found.holders(of: "1") == ["ana"])
  }

  @Test func `a link of an unclaimed copy counts when it is claimed`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("2") { $0.share() }, sharedFrom: ["1"])
    try ledger.record(lifetime("1") { $0.refund(at: day(10)) }, as: "buyer")
    try ledger.record(lifetime("2") { $0.share() }, as: "kid")
    #expect(ledger.reason("kid", at: day(10)) == .sharedPurchaseRefunded)
  }

  // MARK: - Held together

  @Test func `a member's claim never takes the purchase from the purchaser, though ids coincide`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1"), as: "buyer")
    try ledger.record(monthly("2", of: "1") { $0.share() }, as: "kid")
    #expect(ledger.holders(of: "1") == ["buyer"])
    #expect(ledger.holders(of: "2") == ["kid"])
    #expect(try ledger.record(renewed("3", of: "1")).customer == "buyer")
    #expect(try ledger.record(renewed("4", of: "1") { $0.share() }).customer == "kid")
  }

  @Test func `nor one member's from another, where their accounts differ`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1", of: "L") { $0.share(account: "A") }, as: "ana")
    try ledger.record(monthly("2", of: "L") { $0.share(account: "B") }, as: "bob")
    try ledger.record(renewed("3", of: "L") { $0.share(account: "A") })
    #expect(ledger.holders(of: "1") == ["ana"])
    #expect(ledger.holders(of: "3") == ["ana"])
    try ledger.record(renewed("3", of: "L") { $0.share(account: "A") }, as: "cid")
    #expect(ledger.holders(of: "1") == ["cid"])
    #expect(ledger.holders(of: "2") == ["bob"])
  }

  @Test func `copies of one original id are held together while one account at most is known`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1", of: "L") { $0.share() }, as: "ana")
    try ledger.record(renewed("2", of: "L") { $0.share(account: "A") }, as: "bob")
    #expect(ledger.holders(of: "1") == ["bob"])
  }

  @Test func `a copy without an account is alone once several are known`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1", of: "L") { $0.share(account: "A") }, as: "ana")
    try ledger.record(monthly("2", of: "L") { $0.share(account: "B") }, as: "bob")
    try ledger.record(monthly("3", of: "L") { $0.share() }, as: "cid")
    try ledger.record(monthly("4", of: "L") { $0.share() }, as: "dee")
    #expect(["1", "2", "3", "4"].map { ledger.holders(of: $0) } == [["ana"], ["bob"], ["cid"], ["dee"]])
  }

  @Test func `a newer version that changes what it is held together with stays with its holder`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1"), as: "ana")
    try ledger.record(monthly("5"), as: "bob")
    let recorded = try ledger.record(monthly("1", of: "5") { $0.signedDate = day(1) })
    #expect(recorded.customer == "ana")
    #expect(ledger.holders(of: "1") == ["ana"])
    #expect(ledger.holders(of: "5") == ["bob"])
  }

  @Test func `the first holder of what comes next is the same after a restart`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1"), as: "ana")
    try ledger.record(monthly("2"), as: "bob")
    try ledger.record(monthly("1", of: "2") { $0.signedDate = day(1) })
    var restored = Ledger.sample()
    for record in ledger.records { restored.restore(record) }
    let here = try ledger.record(renewed("3", of: "2"))
    #expect(try restored.record(renewed("3", of: "2")) == here)
    #expect(restored.holders(of: "3") == ledger.holders(of: "3"))
  }

  // MARK: - Transfers

  @Test func `move gives all that is held together to the newest claim`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1"), as: "ana")
    try ledger.record(renewed("2", of: "1"))
    let recorded = try ledger.record(monthly("1"), as: "bob")
    #expect(recorded.outcome == .applied)
    #expect(recorded.customer == "bob")
    #expect(recorded.affected == ["ana", "bob"])
    #expect(ledger.holders(of: "2") == ["bob"])
  }

  @Test func `keep refuses the claim, but what Apple signed counts for the holder`() throws {
    var ledger = Ledger.sample { $0.transferPolicy = .keep }
    try ledger.record(monthly("1"), as: "ana")
    let refused = try ledger.record(renewed("2", of: "1"), as: "bob")
    #expect(refused.outcome == .heldByAnother)
    #expect(refused.customer == "ana")
    #expect(ledger.holders(of: "2") == ["ana"])
    #expect(ledger.reason("ana", at: day(40)) == .purchased)
    #expect(ledger.reason("bob", at: day(40)) == .unknownCustomer)
    #expect(try ledger.record(renewed("2", of: "1"), as: "bob").outcome == .heldByAnother)
  }

  @Test func `a refused claim brings no link, and nothing else is claimed`() throws {
    var ledger = Ledger.sample { $0.transferPolicy = .keep }
    let copy = lifetime("2") { $0.share(account: "A") }
    try ledger.record(copy, as: "kid")
    try ledger.record(lifetime("1") { $0.refund(at: day(10)) }, as: "buyer")
    ledger.restore(
      Record(
        transaction: monthly("7") { ($0.appTransactionID, $0.environment) = ("A", .production) }, source: .device,
        recordedAt: day(0)))
    #expect(try ledger.record(copy, as: "bob", sharedFrom: ["1"]).outcome == .heldByAnother)
    #expect(ledger.reason("kid", at: day(10)) == .familyShared)
    #expect(ledger.holders(of: "7").isEmpty)
    try ledger.record(copy, as: "kid")
    #expect(ledger.holders(of: "7") == ["kid"])
  }

  @Test func `under share both hold all that is held together, the first holder first`() throws {
    var ledger = Ledger.sample { $0.transferPolicy = .share }
    try ledger.record(monthly("1"), as: "ana")
    let joined = try ledger.record(monthly("1"), as: "bob")
    #expect(joined.outcome == .applied)
    #expect(joined.customer == "ana")
    #expect(try ledger.record(renewed("2", of: "1")).affected == ["ana", "bob"])
    #expect(ledger.holders(of: "2") == ["ana", "bob"])
    #expect(try ledger.record(monthly("1"), as: "bob").outcome == .duplicate)
  }

  @Test func `under share a new renewal that another customer claims is the first holder's too`() throws {
    var ledger = Ledger.sample { $0.transferPolicy = .share }
    try ledger.record(monthly("1"), as: "ana")
    let recorded = try ledger.record(renewed("2", of: "1"), as: "bob")
    #expect(recorded.customer == "ana")
    #expect(recorded.affected == ["ana", "bob"])
    #expect(ledger.holders(of: "1") == ["ana", "bob"])
    #expect(ledger.holders(of: "2") == ["ana", "bob"])
    #expect(ledger.reason("ana", at: day(40)) == .purchased)
  }

  @Test func `a refused claim gives the holder what nobody held, and says beforehand that it changes something`() throws {
    var ledger = Ledger.sample { $0.transferPolicy = .keep }
    try ledger.record(monthly("1", of: "L") { $0.share(account: "A") }, as: "ana")
    try ledger.record(monthly("2", of: "L") { $0.share(account: "B") }, as: "bob")
    try ledger.record(monthly("3", of: "L") { $0.share() })
    // The second account leaves the lineage, so what nobody holds is now held together with Ana's.
    try ledger.record(monthly("2", of: "M") { ($0.ownership, $0.signedDate) = (.familyShared, day(1)) })
    let claim = Recording(
      customer: "cid", rows: [.init(transaction: monthly("1", of: "L") { $0.share(account: "A") })], receivedAt: day(0))
    #expect(try ledger.changes(by: claim))
    #expect(try ledger.record(claim).outcome == .heldByAnother)
    #expect(ledger.holders(of: "3") == ["ana"])
    #expect(try !ledger.changes(by: claim))
  }
}
