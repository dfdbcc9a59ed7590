import Entitlements
import Testing

/// Counting refunds, which is not counting revocations.
struct RefundReportTests {
  private func report(_ transactions: Transaction...) throws -> RefundCounts {
    var ledger = Ledger.sample()
    for transaction in transactions { try ledger.record(transaction, as: "ana") }
    return ledger.refundReport().total
  }

  private func shared(_ type: RevocationType?, _ reason: RevocationReason = .other) -> Transaction {
    lifetime("1") {
      $0.share()
      $0.refund(at: day(10), type: type)
      $0.revocationReason = reason
    }
  }

  @Test func `nothing revoked is nothing to report`() throws {
    #expect(try report(monthly("1"), lifetime("2"), coins("3"), monthly("4") { $0.isUpgraded = true }) == RefundCounts())
  }

  @Test func `a revoked purchase of any type is one refund`() throws {
    let refunded = [monthly("1"), lifetime("2"), coins("3"), season("4"), lifetime("5") { $0.type = .other("New") }]
    var ledger = Ledger.sample()
    for version in refunded { try ledger.record(version.with { $0.refund(at: day(10)) }, as: "ana") }
    #expect(ledger.refundReport().total.refunds == 5)
    #expect(ledger.refundReport().total.sharedRefunds == 0)
  }

  @Test func `a revoked copy is a shared refund or a departure, by its type`() throws {
    #expect(try report(shared(nil)).sharedRefunds == 1)
    #expect(try report(shared(.refundFull)).sharedRefunds == 1)
    #expect(try report(shared(.other("NEW"))).sharedRefunds == 1)
    #expect(try report(shared(.familyRevoke)).familyDepartures == 1)
    #expect(try report(shared(.familyRevoke)).sharedRefunds == 0)
    #expect(try report(shared(.refundFull)).refunds == 0)
  }

  @Test func `a copy that was revoked without a date is a departure`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { $0.share() }, as: "kid", mark: day(10))
    #expect(ledger.refundReport().total.familyDepartures == 1)
    try ledger.record(
      lifetime("1") {
        $0.share()
        $0.signedDate = day(11)
      })
    #expect(ledger.refundReport().isEmpty)
  }

  @Test func `an upgrade to a bundle is none of these, whatever the ownership`() throws {
    let purchase = lifetime("2") {
      $0.refund(at: day(1))
      $0.revocationReason = .upgradedToBundle
    }
    let counted = try report(shared(.familyRevoke, .upgradedToBundle), purchase)
    var expected = RefundCounts()
    expected.bundleUpgrades = 2
    #expect(counted == expected)
  }

  @Test func `a revoked transaction of unknown ownership is in no class`() throws {
    #expect(
      try report(
        lifetime("1") {
          $0.ownership = .other("ASSIGNED")
          $0.refund(at: day(1))
        }) == RefundCounts())
  }

  @Test func `a reversal needs a revoked version that was signed before the newest`() throws {
    let plain = lifetime("1") { $0.signedDate = day(10) }
    func reversals(_ revokedSigned: Int64) throws -> Int {
      try report(
        plain,
        lifetime("1") {
          $0.revocationDate = day(1)
          $0.signedDate = day(revokedSigned)
        }
      ).reversals
    }
    #expect(try reversals(9) == 1)
    #expect(try reversals(10) == 0)
    #expect(try reversals(11) == 0)
  }

  @Test func `a reversed copy is no reversal`() throws {
    #expect(
      try report(
        shared(.refundFull),
        lifetime("1") {
          $0.share()
          $0.signedDate = day(20)
        }) == RefundCounts())
  }

  @Test func `unclaimed transactions count too`() throws {
    var ledger = Ledger.sample()
    try ledger.record(lifetime("1") { $0.refund(at: day(1)) })
    #expect(ledger.refundReport().total.refunds == 1)
    #expect(ledger.refundReport().total.unclaimed == 1)
  }

  // MARK: - Amounts

  @Test(
    arguments: [
      (9_990, nil, 9_990), (9_990, 100_000, 9_990), (9_990, 50_000, 4_995), (9_999, 50_000, 4_999), (1_990, 67_932, 1_351),
      (1_990, 15, 0), (9_990, 0, 0), (0, 100_000, 0), (.max, nil, .max), (.max, 100_000, .max),
      (.max, 99_999, 9_223_279_803_134_407_259),
    ] as [(Int64, Int32?, Int64)])
  func `a refund pays back its share of the price, rounded down`(price: Int64, percentage: Int32?, amount: Int64) throws {
    let counted = try report(
      lifetime("1") {
        $0.refund(at: day(1))
        ($0.priceMilliunits, $0.currency, $0.revocationPercentage) = (price, "USD", percentage)
      })
    #expect(counted.amounts == ["USD": amount])
  }

  @Test func `amounts add up by currency, each rounded by itself`() throws {
    func refund(_ id: Identifier, _ price: Int64?, _ currency: String?) -> Transaction {
      lifetime(id) {
        $0.refund(at: day(1))
        ($0.priceMilliunits, $0.currency, $0.revocationPercentage) = (price, currency, 50_000)
      }
    }
    let counted = try report(
      refund("1", 1_001, "USD"), refund("2", 1_001, "USD"), refund("3", 300_000, "JPY"), refund("4", nil, "EUR"),
      refund("5", 100, nil))
    #expect(counted.refunds == 5)
    #expect(counted.amounts == ["USD": 1_000, "JPY": 150_000])
  }

  @Test func `amounts beyond what can be counted stay at the greatest that can`() throws {
    func refund(_ id: Identifier) -> Transaction {
      lifetime(id) {
        $0.refund(at: day(1))
        ($0.priceMilliunits, $0.currency) = (.max, "VND")
      }
    }
    #expect(try report(refund("1"), refund("2"), refund("3")).amounts == ["VND": .max])
  }
}
