import Entitlements
import Testing

/// Counts by hand, for reports that need no server.
struct CountedUsage: UsageReading {
  /// The checks of a customer and an entitlement, all in one hour.
  var checks: [CustomerID: [Identifier: (count: Int64, at: Moment)]] = [:]
  var late: [Identifier: CheckCount] = [:]

  func usage(of customer: CustomerID, _ entitlement: Identifier) -> Usage {
    guard let (count, moment) = checks[customer]?[entitlement] else { return Usage() }
    var buckets = Usage().buckets
    buckets[0] = .init(newestHour: moment.milliseconds / 3_600_000, checks: count)
    return Usage(buckets: buckets)
  }

  func lateChecks(of transaction: ScopedID) -> CheckCount? { late[transaction.id] }
}

/// What being late costs.
struct LeakReportTests {
  private func report(
    _ ledger: Ledger, _ usage: CountedUsage, scope: ReportScope = ReportScope(), limit: Int = 100, at now: Moment = day(40)
  ) -> LeakReport {
    var tally = LeakTally(scope, limit: limit, at: now)
    for number in ledger.records.indices { tally.count(number, in: ledger, usage) }
    return tally.report
  }

  /// `ana` bought what `kid` shares; it was refunded on day 10, and recorded on day 12.
  private func family() throws -> Ledger {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), as: "ana")
    try ledger.record(lifetime("2") { $0.share() }, as: "kid", sharedFrom: ["1"])
    try ledger.record(lifetime("1") { $0.refund(at: day(10)) }, receivedAt: day(12))
    return ledger
  }

  @Test func `a refund has the checks of everyone who was served on the payment`() throws {
    let usage = CountedUsage(
      checks: ["ana": ["pro": (7, day(5)), "lifetime": (2, day(6)), "other": (99, day(5))], "kid": ["pro": (4, day(11))]])
    let report = report(try family(), usage)
    let leak = try #require(report.revocations.first)
    #expect(report.revocationCount == 1)
    #expect((leak.transactionID, leak.kind, leak.people) == ("1", .refund, 2))
    #expect((leak.revokedFrom, leak.recordedAt) == (day(10), day(12)))
    #expect(leak.served == CheckCount(checks: 13))
    // Nobody counted when it was recorded, so that what was allowed since the refund is an upper bound.
    #expect(leak.late == CheckCount(checks: 4, isExact: false))
    #expect(report.served == leak.served)
  }

  @Test func `what was counted when the revocation was recorded is what came too late`() throws {
    let usage = CountedUsage(checks: ["kid": ["pro": (4, day(11))]], late: ["1": CheckCount(checks: 3)])
    #expect(report(try family(), usage).revocations.map(\.late) == [CheckCount(checks: 3)])
  }

  @Test func `a revocation that was recorded in time has no late checks`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { $0.refund(at: day(10)) }, as: "ana", receivedAt: day(10))
    let usage = CountedUsage(checks: ["ana": ["pro": (9, day(20))]])
    #expect(report(ledger, usage).revocations.map(\.late) == [CheckCount()])
  }

  @Test func `checks that another purchase may have allowed make an upper bound`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { $0.refund(at: day(10)) }, as: "ana", receivedAt: day(12))
    try ledger.record(monthly("2") { $0.purchaseDate = day(20) }, as: "ana")
    let usage = CountedUsage(checks: ["ana": ["pro": (9, day(25))]])
    #expect(report(ledger, usage).revocations.map(\.served) == [CheckCount(checks: 9, isExact: false)])
    #expect(report(ledger, usage, at: day(19)).revocations.map(\.served) == [CheckCount(checks: 9)])
  }

  @Test func `a copy belongs to the refund that is on record, and else stands alone`() throws {
    var ledger = try family()
    try ledger.record(
      lifetime("2") { copy in
        copy.share()
        copy.refund(at: day(10))
      })
    try ledger.record(
      lifetime("3") { copy in
        copy.share()
        copy.refund(at: day(11))
      }, as: "cousin")
    try ledger.record(
      lifetime("4") { copy in
        copy.share()
        copy.refund(at: day(11), type: .familyRevoke)
      }, as: "aunt")
    try ledger.record(
      lifetime("5") { version in
        version.refund(at: day(11))
        version.revocationReason = .upgradedToBundle
      }, as: "bob")
    let report = report(ledger, CountedUsage())
    #expect(report.revocations.map(\.transactionID) == ["1", "3", "4"])
    #expect(report.revocations.map(\.kind) == [.refund, .sharedRefund, .familyDeparture])
  }

  @Test func `the costliest come first, as many as asked for, and the totals are of all`() throws {
    var ledger = Ledger.sample()
    var usage = CountedUsage()
    for number in 0..<3_000 {
      let customer = CustomerID("customer \(number)")
      let version = transaction(Identifier("\(number)"), product: "p", .nonConsumable) { $0.refund(at: day(10)) }
      try ledger.record(version, as: customer, receivedAt: day(11))
      usage.late[Identifier("\(number)")] = CheckCount(checks: Int64(number * 7 % 3_000))
    }
    let report = report(ledger, usage, limit: 3)
    #expect(report.revocations.map(\.late.checks) == [2_999, 2_998, 2_997])
    #expect(report.revocationCount == 3_000)
    #expect(report.late == CheckCount(checks: 3_000 * 2_999 / 2))
  }

  @Test func `a window holds revocations by their date`() throws {
    let ledger = try family()
    #expect(report(ledger, CountedUsage(), scope: ReportScope(since: day(10), until: day(11))).revocationCount == 1)
    #expect(report(ledger, CountedUsage(), scope: ReportScope(since: day(11))).revocationCount == 0)
    #expect(report(ledger, CountedUsage(), scope: ReportScope(product: "other")).revocationCount == 0)
  }

  @Test func `no copy stays active on a refunded purchase`() throws {
    #expect(report(try family(), CountedUsage()).stillActive.count == 0)
  }

  @Test func `a purchase that seven share is found, recorded or not`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), as: "ana")
    for number in 0..<6 {
      try ledger.record(lifetime(Identifier("2\(number)")) { $0.share() }, as: CustomerID("member \(number)"), sharedFrom: ["1"])
    }
    for number in 0..<7 {
      try ledger.record(lifetime(Identifier("3\(number)")) { $0.share() }, as: CustomerID("cousin \(number)"), sharedFrom: ["9"])
    }
    let crowded = report(ledger, CountedUsage()).crowded
    #expect(crowded.first.map(\.purchase) == ["1", "9"])
    #expect(crowded.first.map(\.people) == [7, 7])
    #expect(crowded.count == 2)
  }

  @Test func `unclaimed transactions have ages`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), receivedAt: day(39))
    try ledger.record(lifetime("2"), receivedAt: day(0))
    #expect(report(ledger, CountedUsage()).unclaimedByAge.counts == [0, 1, 0, 1, 0])
  }
}
