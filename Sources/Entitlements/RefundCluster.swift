/// A product whose share of refunds for an issue in the app is far above what was to be expected: it points at something broken.
///
/// The test, for the product's own past before the window, and for the other products in the window, each where it has at least 10
/// refunds: the product has at least 10 refunds in the window, 5 of them with reason 1; their share is at least twice that of the
/// comparison; and as many or more would come by chance in one of a thousand cases at most (one-sided binomial test; the
/// comparison's share is taken as (issues + 1) / (refunds + 2), so that a clean past isn't taken for a certain one).
package struct RefundCluster: Hashable, Sendable {
  package var product: Identifier
  package var window: IssueShare
  /// The product's own refunds before the window.
  package var past: IssueShare
  /// The refunds of the other products in the window.
  package var others: IssueShare

  package var isAbovePast: Bool { window.isFarAbove(past) }
  package var isAboveOthers: Bool { window.isFarAbove(others) }
}

/// How many refunds there were, and how many of them for an issue in the app.
package struct IssueShare: Hashable, Sendable {
  package var refunds = 0
  package var issues = 0

  package init(refunds: Int = 0, issues: Int = 0) {
    self.refunds = refunds
    self.issues = issues
  }

  private static let leastRefunds = 10
  private static let leastIssues = 5
  private static let factor = 2.0
  private static let chance = 0.001

  /// Whether this share is far above another one, by the test of `RefundCluster`.
  func isFarAbove(_ other: IssueShare) -> Bool {
    guard refunds >= IssueShare.leastRefunds, issues >= IssueShare.leastIssues, other.refunds >= IssueShare.leastRefunds else {
      return false
    }
    let expected = (Double(other.issues) + 1) / (Double(other.refunds) + 2)
    guard Double(issues) >= IssueShare.factor * expected * Double(refunds) else { return false }
    return IssueShare.chance(ofAtLeast: issues, of: refunds, probability: expected) <= IssueShare.chance
  }

  /// The chance of so many successes or more. Each term is reckoned against the likeliest one, so that none of weight is too small
  /// for a number.
  static func chance(ofAtLeast successes: Int, of trials: Int, probability: Double) -> Double {
    let odds = probability / (1 - probability)
    let likeliest = min(trials, Int(Double(trials + 1) * probability))
    var (tail, all) = (0.0, 0.0)
    func add(_ term: Double, _ count: Int) {
      all += term
      if count >= successes { tail += term }
    }
    var term = 1.0
    for count in likeliest...trials where term > 0 {
      add(term, count)
      term *= Double(trials - count) / Double(count + 1) * odds
    }
    term = 1.0
    for count in stride(from: likeliest, to: 0, by: -1) where term > 0 {
      term *= Double(count) / Double(trials - count + 1) / odds
      add(term, count - 1)
    }
    return tail / all
  }
}

/// The refunds of each product with those for an issue in the app, in the window and before it.
struct DeveloperIssues: Sendable {
  private var window: [Identifier: IssueShare] = [:]
  private var past: [Identifier: IssueShare] = [:]

  /// Counts a refund, of whatever product.
  mutating func count(_ transaction: Transaction, at date: Moment, in scope: ReportScope) {
    let isIssue = transaction.revocationReason == .developerIssue
    func add(_ share: inout IssueShare) {
      share.refunds += 1
      if isIssue { share.issues += 1 }
    }
    if scope.covers(date) {
      add(&window[transaction.productID, default: IssueShare()])
    } else if let since = scope.since, date < since {
      add(&past[transaction.productID, default: IssueShare()])
    }
  }

  /// The products that stand out, the most issues first.
  var clusters: [RefundCluster] {
    let all = window.values.reduce(into: IssueShare()) { sum, share in
      sum.refunds += share.refunds
      sum.issues += share.issues
    }
    let candidates = window.map { product, share in
      RefundCluster(
        product: product, window: share, past: past[product] ?? IssueShare(),
        others: IssueShare(refunds: all.refunds - share.refunds, issues: all.issues - share.issues))
    }
    return candidates.filter { $0.isAbovePast || $0.isAboveOthers }
      .sorted { ($1.window.issues, $0.product) < ($0.window.issues, $1.product) }
  }
}
