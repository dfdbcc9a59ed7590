/// What refunds really cost: payments reversed told apart from people cut, and how late that was known.
///
/// A window holds a revocation by its date (the REVOKE's where it has none), a reversal by the signed date of the newest version,
/// and an unclaimed transaction by when it was first recorded.
package struct RefundReport: Hashable, Sendable {
  package internal(set) var total = RefundCounts()
  package internal(set) var products: [Identifier: RefundCounts] = [:]
  /// By the day of UTC, counted from 1970-01-01.
  package internal(set) var days: [Int64: RefundCounts] = [:]
  /// By Apple's reason; an empty one where Apple gave none.
  package internal(set) var reasons: [String: RefundCounts] = [:]
  /// By Apple's type; an empty one where Apple gave none.
  package internal(set) var types: [String: RefundCounts] = [:]
  /// How many refunds ended the access of so many people.
  package internal(set) var refundsByPeople: [Int: Int] = [:]
  /// From the revocation date of a refund or shared refund until Latchkey recorded it.
  package var lag = Lag()
  package internal(set) var unclaimedByAge = AgeClasses()
  /// The products whose refunds point at something broken.
  package internal(set) var clusters: [RefundCluster] = []

  /// Whether nothing lies in the window.
  package var isEmpty: Bool { total == RefundCounts() }
}

extension Ledger {
  /// The refund report of the server's own environment.
  package func refundReport(_ scope: ReportScope = ReportScope(), at now: Moment = .distantFuture) -> RefundReport {
    var tally = RefundTally(scope, at: now)
    for number in records.indices { tally.count(number, in: self) }
    return tally.report
  }
}

/// A refund report in the making: records are counted one after the other, in any slices of a ledger that goes on.
package struct RefundTally: Sendable {
  private let scope: ReportScope
  private let now: Moment
  private var counted = RefundReport()
  private var lags: [Int64] = []
  private var issues = DeveloperIssues()

  /// - Parameter now: the moment that ages are counted from.
  package init(_ scope: ReportScope, at now: Moment) {
    self.scope = scope
    self.now = now
  }

  /// The report over what was counted so far.
  package var report: RefundReport {
    var report = counted
    report.lag = Lag(of: lags)
    report.clusters = issues.clusters.filter { scope.covers($0.product) }
    return report
  }

  /// Counts a record, unless it is of another environment than the server's.
  package mutating func count(_ number: RecordNumber, in ledger: Ledger) {
    // Most records are neither: those aren't unpacked.
    guard ledger.records.mayBeRevoked(number) || !ledger.records.hasHolder(number) else { return }
    let record = ledger.records[number]
    guard record.environment == ledger.settings.environment else { return }
    let product = record.transaction.productID
    if let kind = record.refundClass, let date = record.revokedFrom {
      if kind == .refund { issues.count(record.transaction, at: date, in: scope) }
      if scope.covers(date), scope.covers(product) { count(kind, record, number, at: date, in: ledger) }
    }
    guard scope.covers(product) else { return }
    if record.isReversed, scope.covers(record.transaction.signedDate) {
      let day = record.transaction.signedDate.day
      update(product: product, day: day) { $0.reversals += 1 }
    }
    if record.holders.isEmpty, !record.isAnonymous, scope.covers(record.firstRecordedAt) {
      update(product: product, day: record.firstRecordedAt.day) { $0.unclaimed += 1 }
      counted.unclaimedByAge.count(since: record.firstRecordedAt, at: now)
    }
  }

  private mutating func count(_ kind: RefundClass, _ record: Record, _ number: RecordNumber, at date: Moment, in ledger: Ledger) {
    let transaction = record.transaction
    let people = kind == .refund ? ledger.peopleCut(by: number).count : 0
    update(product: transaction.productID, day: date.day) { $0.count(kind, transaction, people: people) }
    let reason = transaction.revocationReason?.text ?? ""
    counted.reasons[reason, default: RefundCounts()].count(kind, transaction, people: people)
    let type = transaction.revocationType?.text ?? ""
    counted.types[type, default: RefundCounts()].count(kind, transaction, people: people)
    if kind == .refund { counted.refundsByPeople[people, default: 0] += 1 }
    if kind == .refund || kind == .sharedRefund, let recorded = record.revocationRecordedAt {
      lags.append(recorded.milliseconds(since: date))
    }
  }

  private mutating func update(product: Identifier, day: Int64, _ change: (inout RefundCounts) -> Void) {
    change(&counted.total)
    change(&counted.products[product, default: RefundCounts()])
    change(&counted.days[day, default: RefundCounts()])
  }
}
