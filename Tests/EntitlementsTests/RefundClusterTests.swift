import Testing

@testable import Entitlements

/// Products whose refunds point at something broken.
struct RefundClusterTests {
  /// A ledger with so many refunds of products on a day, the first of them for an issue in the app.
  private func ledger(_ refunds: [(product: Identifier, day: Int64, count: Int, issues: Int)]) throws -> Ledger {
    var ledger = Ledger.sample()
    var id = 0
    for group in refunds {
      for number in 0..<group.count {
        id += 1
        let version = transaction(Identifier("\(id)"), product: group.product, .nonConsumable) {
          $0.refund(at: day(group.day))
          $0.revocationReason = number < group.issues ? .developerIssue : .other
        }
        try ledger.record(version, as: CustomerID("customer \(id)"))
      }
    }
    return ledger
  }

  @Test func `a product far above its own past is marked, with the numbers`() throws {
    let ledger = try ledger([("broken", 1, 40, 2), ("broken", 10, 20, 12)])
    let clusters = ledger.refundReport(ReportScope(since: day(5))).clusters
    let cluster = try #require(clusters.first)
    #expect(clusters.count == 1)
    #expect(cluster.product == "broken")
    #expect(cluster.window == IssueShare(refunds: 20, issues: 12))
    #expect(cluster.past == IssueShare(refunds: 40, issues: 2))
    #expect(cluster.others == IssueShare())
    #expect((cluster.isAbovePast, cluster.isAboveOthers) == (true, false))
  }

  @Test func `a product far above the others is marked, be the report of it alone, and they aren't`() throws {
    let ledger = try ledger([("broken", 10, 20, 12), ("fine", 10, 60, 3)])
    for scope in [ReportScope(), ReportScope(since: day(5)), ReportScope(product: "broken")] {
      let clusters = ledger.refundReport(scope).clusters
      #expect(clusters.map(\.product) == ["broken"])
      #expect(clusters.map(\.isAboveOthers) == [true])
      #expect(clusters.map(\.others) == [IssueShare(refunds: 60, issues: 3)])
    }
    #expect(ledger.refundReport(ReportScope(product: "fine")).clusters.isEmpty)
  }

  @Test func `without anything to compare with nothing is marked`() throws {
    #expect(try ledger([("broken", 10, 50, 50)]).refundReport().clusters.isEmpty)
  }

  /// Shares of a window beside one of 100 refunds with 10 issues, which is taken for 11 of 102, or 10.8 %.
  @Test(
    arguments: [
      (9, 9, false), (10, 10, true), (10, 4, false), (10, 5, false), (10, 6, true), (20, 7, false), (20, 8, true),
      (1_000, 160, false),
      (1_000, 215, false), (1_000, 216, true),
    ])
  func `the test asks for enough refunds, twice the share, and a chance of one in a thousand`(
    refunds: Int, issues: Int, isFarAbove: Bool
  ) {
    #expect(IssueShare(refunds: refunds, issues: issues).isFarAbove(IssueShare(refunds: 100, issues: 10)) == isFarAbove)
    #expect(!IssueShare(refunds: refunds, issues: issues).isFarAbove(IssueShare(refunds: 9, issues: 0)))
  }

  @Test(
    arguments: [
      // By hand: 1 - 0.5^10; 0.5^10; 10 * 0.5^10 more; 0.1^3; the whole; 1 - 0.9^2.
      (1, 10, 0.5, 0.999_023_437_5), (10, 10, 0.5, 0.000_976_562_5), (9, 10, 0.5, 0.010_742_187_5), (3, 3, 0.1, 0.001),
      (0, 7, 0.3, 1), (1, 2, 0.1, 0.19),
    ])
  func `the chance is that of the binomial distribution`(successes: Int, trials: Int, probability: Double, chance: Double) {
    #expect(abs(IssueShare.chance(ofAtLeast: successes, of: trials, probability: probability) - chance) < 1e-12)
  }

  @Test func `a crowd of refunds is no trouble to reckon with`() {
    // The mean is 100,000 with a deviation of 300.
    #expect(abs(IssueShare.chance(ofAtLeast: 100_000, of: 1_000_000, probability: 0.1) - 0.5) < 0.01)
    #expect(IssueShare.chance(ofAtLeast: 103_000, of: 1_000_000, probability: 0.1) < 1e-20)
    #expect(IssueShare.chance(ofAtLeast: 97_000, of: 1_000_000, probability: 0.1) > 0.999_999)
  }
}
