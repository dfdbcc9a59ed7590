import Entitlements
import LatchkeyWire
import Service
import Testing

/// GetRefundReport and GetLeakReport.
@Suite struct ReportTests {
  private func refundReport(
    _ running: RunningService, _ fill: (inout GetRefundReportRequest) -> Void = { _ in }
  ) throws -> GetRefundReportResponse {
    try running.call(.getRefundReport, GetRefundReportRequest.with(fill), as: GetRefundReportResponse.self)
  }

  private func leakReport(
    _ running: RunningService, _ fill: (inout GetLeakReportRequest) -> Void = { _ in }
  ) throws -> GetLeakReportResponse {
    try running.call(.getLeakReport, GetLeakReportRequest.with(fill), as: GetLeakReportResponse.self)
  }

  private func refund(_ id: String, price: Int64, reason: LatchkeyWire.RevocationReason = .other) -> LatchkeyWire.Transaction {
    var transaction = LatchkeyWire.Transaction.subscription(id).refunded
    (transaction.priceMilliunits, transaction.currency, transaction.revocationReason) = (price, "USD", reason)
    return transaction
  }

  @Test("A refund report has its lists, people, lag and ages")
  func refunds() throws {
    let running = try RunningService(catalog: .pro)
    try running.record(.subscription("1"))
    try running.record(.shared("2"), for: "bob", sharedFrom: ["1"])
    let late = RecordTransactionRequest.with {
      $0.transaction = refund("1", price: 9_990, reason: .developerIssue)
      $0.receivedAtMilliseconds = RunningService.now - day + 1_500
    }
    _ = try running.call(.recordTransaction, late, as: RecordTransactionResponse.self)
    let report = try refundReport(running)
    #expect((report.refunds, report.developerIssues, report.refundsInPart, report.people) == (1, 1, 0, 2))
    #expect(report.products.map(\.key) == ["monthly"])
    #expect(report.products.first?.amounts.map(\.amountMilliunits) == [9_990])
    #expect(report.days.map(\.key) == ["2023-11-13"])
    #expect(report.reasons.map(\.key) == ["1"])
    #expect(report.types.map(\.key) == [""])
    #expect(report.refundsByPeople == [.with { ($0.people, $0.refunds) = (2, 1) }])
    #expect(report.lag?.count == 1 && report.lag?.medianMilliseconds == 1_500)
    #expect(report.unclaimedByAge.map(\.belowDays) == [1, 7, 30, 90, 0])
    #expect(report.sentence.isEmpty)
  }

  @Test("An empty window is said in words, and one that is no window is refused by name")
  func windows() throws {
    let running = try RunningService()
    try running.record(.subscription("1").refunded)
    let revoked = RunningService.now - day
    #expect(try refundReport(running) { ($0.sinceMilliseconds, $0.untilMilliseconds) = (revoked, revoked + 1) }.refunds == 1)
    let empty = try refundReport(running) { ($0.sinceMilliseconds, $0.productID) = (revoked + 1, "monthly") }
    #expect(empty.refunds == 0)
    #expect(empty.sentence.contains("nothing was refunded"))
    #expect(empty.sentence.contains("of product monthly since 2023-11-13T22:13:20.001Z"))
    #expect(try leakReport(running) { $0.untilMilliseconds = revoked }.sentence.contains("before 2023-11-13"))
    let bad: [(GetLeakReportRequest, String)] = [
      (.with { ($0.sinceMilliseconds, $0.untilMilliseconds) = (5, 5) }, "until_ms"),
      (.with { $0.sinceMilliseconds = -1 }, "since_ms"),
      (.with { $0.untilMilliseconds = .max }, "until_ms"), (.with { $0.productID = text(129) }, "product_id"),
      (.with { $0.unitCostMicros = -1 }, "unit_cost_micros"), (.with { $0.limit = 1_001 }, "limit"),
    ]
    for (request, field) in bad {
      let status = try running.failure(.getLeakReport, request)
      #expect(status.code == .invalidArgument)
      #expect(status.message.hasPrefix("\(field): "), "\(status.message)")
    }
    let status = try running.failure(.getRefundReport, GetRefundReportRequest.with { $0.productID = text(129) })
    #expect(status.message.hasPrefix("product_id: "))
  }

  @Test("A leak report has what was served, what came too late, and what that costs")
  func leaks() throws {
    let running = try RunningService(catalog: .pro)
    try running.record(.subscription("1"))
    for _ in 0..<5 { #expect(try running.check("alice", "pro").allowed) }
    let batch = CheckAccessBatchRequest.with { batch in
      batch.checks = [
        CheckAccessRequest(customerID: "alice", entitlement: "pro"),
        CheckAccessRequest(customerID: "alice", entitlement: "pro", atTimeMilliseconds: RunningService.now - 1),
      ]
    }
    _ = try running.call(.checkAccessBatch, batch, as: CheckAccessBatchResponse.self)
    try running.record(.subscription("1").refunded)
    let report = try leakReport(running) { $0.unitCostMicros = 2_500 }
    let leak = try #require(report.leaks.first)
    #expect((report.revocations, leak.transactionID, leak.kind, leak.people) == (1, "1", .refund, 1))
    #expect((leak.served?.checks, leak.late?.checks) == (6, 6))
    #expect(leak.late?.upperBound == false)
    #expect((leak.servedCostMicros, leak.lateCostMicros, report.lateCostMicros) == (15_000, 15_000, 15_000))
    #expect(report.stillActiveCount == 0 && report.crowdedCount == 0)
    #expect(try leakReport(running).leaks.first?.lateCostMicros == nil)
  }

  @Test("A report of very many lines fits into a frame, and says what it leaves out")
  func manyLines() throws {
    let running = try RunningService()
    let streams = (0..<1_010).map { index in
      var transaction = LatchkeyWire.Transaction.lasting("\(index)", product: "\(index) " + text(100)).refunded
      transaction.revocationDateMilliseconds = RunningService.now - Int64(index) * day
      transaction.signedDateMilliseconds = RunningService.now
      let request = RecordTransactionRequest.with {
        ($0.transaction, $0.receivedAtMilliseconds) = (transaction, RunningService.now)
      }
      return running.send(Request(.recordTransaction, request))
    }
    for stream in streams { #expect(try running.response(on: stream).status == nil) }
    let report = try refundReport(running)
    #expect(report.refunds == 1_010)
    #expect((report.products.count, report.days.count, report.linesLeftOut) == (1_000, 1_000, 20))
    #expect(report.days.last?.key == "2023-11-14")
    #expect(try leakReport(running).leaks.count == 100)
    #expect(try leakReport(running) { $0.limit = 1_000 }.leaks.count == 1_000)
  }
}

/// GetConsumption.
@Suite struct ConsumptionTests {
  private func consumption(
    _ running: RunningService, _ fill: (inout GetConsumptionRequest) -> Void
  ) throws -> GetConsumptionResponse {
    try running.call(.getConsumption, GetConsumptionRequest.with(fill), as: GetConsumptionResponse.self)
  }

  @Test("What is known of a purchase is told in Apple's terms, and the rest is left out by name")
  func known() throws {
    let running = try RunningService(catalog: .pro)
    var purchase = LatchkeyWire.Transaction.subscription("1")
    (purchase.priceMilliunits, purchase.currency) = (9_990, "USD")
    try running.record(purchase)
    #expect(try running.check("alice", "pro").allowed)
    let known = try consumption(running) { $0.transactionID = "1" }
    #expect((known.customerID, known.productID, known.deliveryStatus) == ("alice", "monthly", "DELIVERED"))
    #expect((known.checks?.checks, known.checks?.upperBound) == (1, false))
    #expect((known.lifetimeDollarsPurchased, known.lifetimeDollarsRefunded) == (2, 1))
    #expect(known.purchased.map(\.amountMilliunits) == [9_990])
    #expect(known.customerSinceMilliseconds == RunningService.now - 10 * day)
    let fields = known.leftOut.map(\.field)
    #expect(
      fields == [
        "customerConsented", "sampleContentProvided", "refundPreference", "platform", "playTime", "userStatus", "appAccountToken",
      ])
    #expect(known.leftOut.allSatisfy { !$0.reason.isEmpty })
  }

  @Test("What isn't a purchase of the customer is refused in plain words")
  func refused() throws {
    let running = try RunningService()
    try running.record(.subscription("1"))
    try running.record(.shared("2"), for: "bob")
    _ = try running.call(
      .recordTransaction, RecordTransactionRequest.with { $0.transaction = .subscription("3") },
      as: RecordTransactionResponse.self)
    let cases: [(GetConsumptionRequest, StatusCode, String)] = [
      (.with { $0.transactionID = "9" }, .notFound, "transaction_id: no Production transaction 9"),
      (.with { ($0.transactionID, $0.environment) = ("1", .sandbox) }, .notFound, "transaction_id: no Sandbox"),
      (
        .with { ($0.transactionID, $0.customerID) = ("1", "bob") }, .failedPrecondition,
        "customer_id: 1 is the purchase of another"
      ),
      (.with { $0.transactionID = "2" }, .failedPrecondition, "transaction_id: 2 is a copy of someone else's"),
      (.with { $0.transactionID = "3" }, .failedPrecondition, "transaction_id: nobody holds 3"),
      (GetConsumptionRequest(), .invalidArgument, "transaction_id: "),
      (.with { ($0.transactionID, $0.customerID) = ("1", text(129)) }, .invalidArgument, "customer_id: "),
      (.with { ($0.transactionID, $0.environment) = ("1", .other) }, .invalidArgument, "environment: "),
    ]
    for (request, code, message) in cases {
      let status = try running.failure(.getConsumption, request)
      #expect(status.code == code)
      #expect(status.message.hasPrefix(message), "\(status.message)")
    }
    #expect(try consumption(running) { ($0.transactionID, $0.customerID) = ("1", "alice") }.customerID == "alice")
  }
}
