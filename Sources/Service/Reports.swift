import Entitlements
import LatchkeyWire
import Storage

// GetRefundReport and GetLeakReport: a walk over all records, in slices between which recordings have their turn.

extension EntitlementService {
  /// Gives the refund report of a window.
  func refundReport(_ call: Call) {
    guard let request = call.request(GetRefundReportRequest.self) else { return }
    call.answer { () throws(Status) in
      let scope = try ReportScope(request.sinceMilliseconds, request.untilMilliseconds, product: request.productID)
      var tally = RefundTally(scope, at: now)
      let revision = try walk(for: call) { number, reading in tally.count(number, in: reading.ledger) }
      var response = GetRefundReportResponse(tally.report, revision: revision)
      if tally.report.isEmpty {
        response.sentence = "nothing was refunded, revoked, reversed or left unclaimed\(scope.inWords)"
      }
      return response
    }
  }

  /// Gives the leak report of a window.
  func leakReport(_ call: Call) {
    guard let request = call.request(GetLeakReportRequest.self) else { return }
    call.answer { () throws(Status) in
      let scope = try ReportScope(request.sinceMilliseconds, request.untilMilliseconds, product: request.productID)
      guard request.unitCostMicros >= 0 else {
        throw Status(.invalidArgument, "unit_cost_micros: a check can't cost less than nothing, found \(request.unitCostMicros)")
      }
      guard request.limit <= Limits.linesInReport else {
        throw Status(.invalidArgument, "limit: at most \(Limits.linesInReport) revocations are listed, found \(request.limit)")
      }
      var tally = LeakTally(scope, limit: request.limit == 0 ? Limits.leaksInReport : Int(request.limit), at: now)
      let revision = try walk(for: call) { number, reading in tally.count(number, in: reading.ledger, reading) }
      var response = GetLeakReportResponse(tally.report, unitCost: request.unitCostMicros, revision: revision)
      if response.revocations == 0 { response.sentence = "no payment or share was revoked\(scope.inWords)" }
      return response
    }
  }

  private func walk(for call: Call, _ body: (RecordNumber, StoreReading) -> Void) throws(Status) -> UInt64 {
    let revision = store.walkRecords(while: { !call.reply.isCancelled && !call.isPastDeadline }, body)
    if let revision { return revision }
    if call.reply.isCancelled { throw Status(.cancelled, "the client cancelled the request") }
    if call.isPastDeadline { throw Status(.deadlineExceeded, "the deadline passed before the report was done") }
    throw StoreError.closed.status
  }
}

extension ReportScope {
  /// Takes the window and the product of a request.
  fileprivate init(_ since: Int64, _ until: Int64, product: String) throws(Status) {
    self.init(
      since: try Field.moment(since, named: "since_ms"), until: try Field.moment(until, named: "until_ms"),
      product: product.isEmpty ? nil : try Field.id(product, named: "product_id"))
    if let since = self.since, let until = self.until, until <= since {
      throw Status(
        .invalidArgument, "until_ms: the window is empty, since it ends at \(until.iso8601) and begins at \(since.iso8601)")
    }
  }

  /// What the report is about, as the end of a sentence.
  fileprivate var inWords: String {
    let parts = [
      product.map { " of product \($0)" }, since.map { " since \($0.iso8601)" }, until.map { " before \($0.iso8601)" },
    ]
    return parts.compactMap(\.self).joined()
  }
}

// MARK: - The refund report as a message

extension GetRefundReportResponse {
  fileprivate init(_ report: RefundReport, revision: UInt64) {
    self.init()
    self.revision = revision
    let total = RefundLine("", report.total)
    (refunds, sharedRefunds, familyDepartures) = (total.refunds, total.sharedRefunds, total.familyDepartures)
    (bundleUpgrades, reversals, unclaimed) = (total.bundleUpgrades, total.reversals, total.unclaimed)
    (refundsInPart, developerIssues, people, amounts) = (
      total.refundsInPart, total.developerIssues, total.people, total.amounts
    )
    setLines(of: report)
    refundsByPeople = report.refundsByPeople.sorted { $0.key < $1.key }.map { people, refunds in
      .with { ($0.people, $0.refunds) = (Int64(people), Int64(refunds)) }
    }
    lag = .with {
      ($0.count, $0.medianMilliseconds) = (Int64(report.lag.count), report.lag.median)
      ($0.percentile95Milliseconds, $0.longestMilliseconds) = (report.lag.percentile95, report.lag.longest)
    }
    unclaimedByAge = AgeClass.classes(report.unclaimedByAge)
    clusters = report.clusters.prefix(Limits.linesInReport).map { LatchkeyWire.RefundCluster($0) }
  }

  private mutating func setLines(of report: RefundReport) {
    let byRefunds = report.products.sorted { ($1.value.refunds, $0.key) < ($0.value.refunds, $1.key) }
    products = fitting(byRefunds.map { RefundLine($0.key.text, $0.value) })
    let newestFirst = report.days.sorted { $0.key > $1.key }
    days = fitting(newestFirst.map { day, counts in RefundLine(CalendarDate(daysSince1970: day).iso8601, counts) }).reversed()
    reasons = fitting(report.reasons.sorted { $0.key < $1.key }.map { RefundLine($0.key, $0.value) })
    types = fitting(report.types.sorted { $0.key < $1.key }.map { RefundLine($0.key, $0.value) })
  }

  /// How many elements one list may have with the amounts of its lines, so that a message takes all of the lists.
  private static let elementsInList = Limits.elementsInMessage / 6

  /// The first lines, as many as a message takes; what is left out is counted.
  private mutating func fitting(_ lines: [RefundLine]) -> [RefundLine] {
    var elements = 0
    let fitting = lines.prefix(Limits.linesInReport).prefix { line in
      elements += 1 + line.amounts.count
      return elements <= GetRefundReportResponse.elementsInList
    }
    linesLeftOut += Int64(lines.count - fitting.count)
    return Array(fitting)
  }
}

extension RefundLine {
  fileprivate init(_ key: String, _ counts: RefundCounts) {
    self.init()
    self.key = key
    (refunds, refundsInPart) = (Int64(counts.refunds), Int64(counts.refundsInPart))
    (developerIssues, people) = (Int64(counts.developerIssues), Int64(counts.people))
    (sharedRefunds, familyDepartures) = (Int64(counts.sharedRefunds), Int64(counts.familyDepartures))
    (bundleUpgrades, reversals, unclaimed) = (
      Int64(counts.bundleUpgrades), Int64(counts.reversals), Int64(counts.unclaimed)
    )
    amounts = CurrencyAmount.amounts(counts.amounts)
  }
}

extension CurrencyAmount {
  /// The amounts in the order of their currencies.
  static func amounts(_ amounts: Amounts) -> [CurrencyAmount] {
    amounts.byCurrency.sorted { $0.key < $1.key }.map { currency, amount in
      .with { ($0.currency, $0.amountMilliunits) = (currency, amount) }
    }
  }
}

extension AgeClass {
  static func classes(_ ages: AgeClasses) -> [AgeClass] {
    zip(AgeClasses.days, ages.counts).map { days, count in .with { ($0.belowDays, $0.count) = (days ?? 0, Int64(count)) } }
  }
}

extension LatchkeyWire.RefundCluster {
  fileprivate init(_ cluster: Entitlements.RefundCluster) {
    self.init()
    productID = cluster.product.text
    (window, past, others) = (IssueShare(cluster.window), IssueShare(cluster.past), IssueShare(cluster.others))
    (abovePast, aboveOthers) = (cluster.isAbovePast, cluster.isAboveOthers)
  }
}

extension LatchkeyWire.IssueShare {
  fileprivate init(_ share: Entitlements.IssueShare) {
    self.init()
    (refunds, developerIssues) = (Int64(share.refunds), Int64(share.issues))
  }
}

// MARK: - The leak report as a message

extension GetLeakReportResponse {
  fileprivate init(_ report: LeakReport, unitCost: Int64, revision: UInt64) {
    self.init()
    self.revision = revision
    revocations = Int64(report.revocationCount)
    (served, late) = (LatchkeyWire.CheckCount(report.served), LatchkeyWire.CheckCount(report.late))
    (servedCostMicros, lateCostMicros) = (cost(of: report.served, unitCost), cost(of: report.late, unitCost))
    leaks = report.revocations.map { LatchkeyWire.Leak($0, unitCost: unitCost) }
    stillActive = report.stillActive.first.map(\.text)
    stillActiveCount = Int64(report.stillActive.count)
    crowded = report.crowded.first.map { crowd in
      .with { ($0.originalTransactionID, $0.people) = (crowd.purchase.text, Int64(crowd.people)) }
    }
    crowdedCount = Int64(report.crowded.count)
    unclaimedByAge = AgeClass.classes(report.unclaimedByAge)
  }
}

/// What checks cost in millionths, at most the greatest number; nil without a unit cost.
private func cost(of count: Entitlements.CheckCount, _ unitCost: Int64) -> Int64? {
  guard unitCost > 0 else { return nil }
  let (cost, overflow) = count.checks.multipliedReportingOverflow(by: unitCost)
  return overflow ? .max : cost
}

extension LatchkeyWire.Leak {
  fileprivate init(_ leak: Entitlements.Leak, unitCost: Int64) {
    self.init()
    (transactionID, productID) = (leak.transactionID.text, leak.productID.text)
    kind =
      switch leak.kind {
      case .refund: .refund
      case .sharedRefund: .sharedRefund
      case .familyDeparture: .familyDeparture
      case .bundleUpgrade: .unspecified
      }
    revokedMilliseconds = leak.revokedFrom.milliseconds
    recordedMilliseconds = leak.recordedAt?.milliseconds ?? 0
    people = Int64(leak.people)
    (served, late) = (LatchkeyWire.CheckCount(leak.served), LatchkeyWire.CheckCount(leak.late))
    (servedCostMicros, lateCostMicros) = (cost(of: leak.served, unitCost), cost(of: leak.late, unitCost))
  }
}

extension LatchkeyWire.CheckCount {
  init(_ count: Entitlements.CheckCount) {
    self.init()
    (checks, upperBound) = (count.checks, !count.isExact)
  }
}
