import Entitlements
import Testing

/// What a refund report says beside its totals: windows, lists, people, lag, ages.
struct RefundWindowTests {
  private func refunded(
    _ id: Identifier, on number: Int64, product: Identifier = "lifetime", reason: RevocationReason? = .other,
    type: RevocationType? = nil, price: Int64? = nil
  ) -> Transaction {
    transaction(id, product: product, .nonConsumable) {
      $0.refund(at: day(number), type: type)
      ($0.revocationReason, $0.priceMilliunits, $0.currency) = (reason, price, "USD")
    }
  }

  // MARK: - Windows

  @Test func `a window holds what is at its begin, and not what is at its end`() throws {
    var ledger = Ledger.sample()
    for number: Int64 in [9, 10, 19, 20] { try ledger.record(refunded(Identifier("\(number)"), on: number), as: "ana") }
    let report = ledger.refundReport(ReportScope(since: day(10), until: day(20)))
    #expect(report.total.refunds == 2)
    #expect(Set(report.days.keys) == [day(10).day, day(19).day])
    #expect(ledger.refundReport(ReportScope(since: day(10))).total.refunds == 3)
    #expect(ledger.refundReport(ReportScope(until: day(10))).total.refunds == 1)
    #expect(ledger.refundReport(ReportScope(since: day(11), until: day(19))).isEmpty)
  }

  @Test func `a reversal lies in a window by the date of the version that took the refund back`() throws {
    var ledger = Ledger.sample()
    try ledger.record(refunded("1", on: 5), as: "ana")
    try ledger.record(lifetime("1") { $0.signedDate = day(12) })
    #expect(ledger.refundReport(ReportScope(since: day(12), until: day(13))).total.reversals == 1)
    #expect(ledger.refundReport(ReportScope(since: day(5), until: day(6))).isEmpty)
  }

  @Test func `an unclaimed transaction lies in a window by when it was first recorded, and has an age`() throws {
    var ledger = Ledger.sample()
    for (id, number) in [("1", 0), ("2", 10), ("3", 16), ("4", 17)] as [(Identifier, Int64)] {
      try ledger.record(lifetime(id), receivedAt: day(number))
    }
    #expect(ledger.refundReport(ReportScope(since: day(10), until: day(17)), at: day(17)).total.unclaimed == 2)
    let ages = ledger.refundReport(at: day(17)).unclaimedByAge
    // One of no age, one of a day, one of 7, one of 17: each class begins where the one before ends.
    #expect(ages.counts == [1, 1, 2, 0, 0])
    #expect(ledger.refundReport(at: day(107)).unclaimedByAge.counts == [0, 0, 0, 0, 4])
  }

  @Test func `a departure without a date lies in a window by its REVOKE`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { $0.share() }, as: "kid", mark: day(7))
    let report = ledger.refundReport(ReportScope(since: day(7), until: day(8)))
    #expect(report.total.familyDepartures == 1)
    #expect(report.lag.count == 0)
  }

  @Test func `a report of one product counts that one alone`() throws {
    var ledger = Ledger.sample()
    try ledger.record(refunded("1", on: 1), as: "ana")
    try ledger.record(refunded("2", on: 1, product: "extras"), as: "ana")
    try ledger.record(transaction("3", product: "other", .nonConsumable))
    let report = ledger.refundReport(ReportScope(product: "extras"))
    #expect(report.total.refunds == 1)
    #expect(report.total.unclaimed == 0)
    #expect(Array(report.products.keys) == ["extras"])
  }

  // MARK: - Lists

  @Test func `each list adds up to the totals, and keeps Apple's words`() throws {
    var ledger = Ledger.sample()
    try ledger.record(refunded("1", on: 1, reason: .developerIssue, type: .refundFull, price: 1_000), as: "ana")
    try ledger.record(refunded("2", on: 1, type: .refundProrated, price: 500), as: "ana")
    try ledger.record(refunded("3", on: 2, product: "extras", reason: nil, price: 250), as: "ana")
    try ledger.record(refunded("4", on: 2, reason: .unnamed("7"), type: .other("NEW")), as: "ana")
    let report = ledger.refundReport()
    #expect(report.total.refunds == 4)
    #expect(report.total.refundsInPart == 1)
    #expect(report.total.developerIssues == 1)
    #expect(report.products.mapValues(\.refunds) == ["lifetime": 3, "extras": 1])
    #expect(report.products.mapValues(\.amounts) == ["lifetime": ["USD": 1_500], "extras": ["USD": 250]])
    #expect(report.days.mapValues(\.refunds) == [day(1).day: 2, day(2).day: 2])
    #expect(report.reasons.mapValues(\.refunds) == ["1": 1, "0": 1, "": 1, "7": 1])
    #expect(report.types.mapValues(\.refunds) == ["REFUND_FULL": 1, "REFUND_PRORATED": 1, "": 1, "NEW": 1])
  }

  @Test(
    arguments: [
      (nil, nil, false), (nil, 100_000, false), (nil, 99_999, true), (.refundFull, 50_000, false), (.refundProrated, nil, true),
    ] as [(RevocationType?, Int32?, Bool)])
  func `a refund is of a part by Apple's type, else by the percentage`(type: RevocationType?, percentage: Int32?, isInPart: Bool)
  {
    let version = lifetime("1") { ($0.revocationType, $0.revocationPercentage) = (type, percentage) }
    #expect(version.isRefundedInPart == isInPart)
  }

  // MARK: - People

  /// A purchase of `ana` that five more share, as the callers say.
  private func family(_ count: Int = 5) throws -> Ledger {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), as: "ana")
    for number in 0..<count {
      try ledger.record(lifetime(Identifier("2\(number)")) { $0.share() }, as: CustomerID("member \(number)"), sharedFrom: ["1"])
    }
    return ledger
  }

  @Test func `a refund ends the access of the purchaser and of every linked member`() throws {
    var ledger = try family()
    try ledger.record(refunded("1", on: 10))
    let report = ledger.refundReport()
    #expect(report.total.people == 6)
    #expect(report.refundsByPeople == [6: 1])
  }

  @Test func `members who have another purchase behind them, or had left before, aren't cut`() throws {
    var ledger = try family(2)
    try ledger.record(lifetime("3"), as: "ben")
    try ledger.record(lifetime("20") { $0.share() }, as: "member 0", sharedFrom: ["3"])
    try ledger.record(
      lifetime("21") {
        $0.share()
        $0.refund(at: day(9), type: .familyRevoke)
      })
    try ledger.record(refunded("1", on: 10))
    #expect(ledger.refundReport().total.people == 1)
    #expect(ledger.refundReport().total.familyDepartures == 1)
  }

  @Test func `a refund of what had ended, or never granted, ends nobody's access`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1") { $0.refund(at: day(31)) }, as: "ana")
    try ledger.record(coins("2") { $0.refund(at: day(5)) }, as: "ana")
    try ledger.record(refunded("3", on: 5))
    #expect(ledger.refundReport().total.refunds == 3)
    #expect(ledger.refundReport().refundsByPeople == [0: 3])
  }

  @Test func `who holds both the purchase and a copy is one person`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), as: "ana")
    try ledger.record(lifetime("2") { $0.share() }, as: "ana", sharedFrom: ["1"])
    try ledger.record(refunded("1", on: 10))
    #expect(ledger.refundReport().total.people == 1)
  }

  // MARK: - Lag

  @Test func `the lag runs from the revocation to its first recording, whatever is recorded later`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1"), as: "ana", receivedAt: day(0))
    try ledger.record(refunded("1", on: 10), receivedAt: day(10, plus: 5_000))
    try ledger.record(refunded("1", on: 10).with { $0.signedDate = day(11) }, receivedAt: day(12))
    let lag = ledger.refundReport().lag
    #expect((lag.count, lag.median, lag.longest) == (1, 5_000, 5_000))
    #expect(ledger.records[0].revocationRecordedAt == day(10, plus: 5_000))
  }

  @Test func `a refund after a reversal has a lag of its own`() throws {
    var ledger = Ledger.sample()
    try ledger.record(refunded("1", on: 1), as: "ana", receivedAt: day(2))
    try ledger.record(lifetime("1") { $0.signedDate = day(3) }, receivedAt: day(3))
    #expect(ledger.records[0].revocationRecordedAt == nil)
    try ledger.record(refunded("1", on: 5), receivedAt: day(5, plus: 7))
    #expect(ledger.refundReport().lag.longest == 7)
  }

  @Test func `a revocation that was recorded before its date has no lag`() throws {
    var ledger = Ledger.sample()
    try ledger.record(refunded("1", on: 5), as: "ana", receivedAt: day(4))
    #expect(ledger.refundReport().lag.longest == 0)
  }

  @Test(
    arguments: [
      ([7], 7, 7, 7), (Array(1...20), 10, 19, 20), (Array(1...21), 11, 20, 21), (Array(1...100), 50, 95, 100), ([], 0, 0, 0),
    ] as [([Int64], Int64, Int64, Int64)])
  func `percentiles are those of the nearest rank`(times: [Int64], median: Int64, percentile95: Int64, longest: Int64) {
    let lag = Lag(of: times.reversed())
    #expect((lag.median, lag.percentile95, lag.longest) == (median, percentile95, longest))
    #expect(lag.count == times.count)
  }

  @Test func `a recording says what it is the first to revoke`() throws {
    var ledger = Ledger.sample()
    #expect(try ledger.record(lifetime("1"), as: "ana").revoked == [])
    #expect(try ledger.record(refunded("1", on: 5)).revoked == [0])
    #expect(try ledger.record(refunded("1", on: 5)).revoked == [])
    #expect(try ledger.record(refunded("2", on: 5), as: "ana").revoked == [1])
    #expect(try ledger.record(lifetime("3") { $0.share() }, as: "kid", mark: day(4)).revoked == [2])
  }
}
