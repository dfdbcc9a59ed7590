import Entitlements
import LatchkeyWire
import Service
import Testing

/// GetHistory and GetRefundReport.
@Suite struct HistoryTests {
  private func history(_ running: RunningService, _ fill: (inout GetHistoryRequest) -> Void) throws -> GetHistoryResponse {
    try running.call(.getHistory, GetHistoryRequest.with(fill), as: GetHistoryResponse.self)
  }

  @Test("A history is found by customer, by transaction and by lineage")
  func subjects() throws {
    let running = try RunningService()
    var renewal = LatchkeyWire.Transaction.subscription("2")
    renewal.originalTransactionID = "1"
    renewal.purchaseDateMilliseconds += day
    try running.record(.subscription("1"), renewal)
    try running.record(.lasting("9", product: "forever"), for: "bob")
    #expect(try history(running) { $0.customerID = "alice" }.entries.map(\.transaction?.transactionID) == ["1", "2"])
    #expect(try history(running) { $0.transactionID = "2" }.entries.map(\.transaction?.transactionID) == ["2"])
    let lineage = try history(running) { $0.originalTransactionID = "1" }
    #expect(lineage.entries.map(\.transaction?.transactionID) == ["1", "2"])
    #expect(lineage.entries.allSatisfy { $0.customerIDs == ["alice"] })
    #expect(lineage.revision == running.store.revision)
    #expect(lineage.nextPageToken.isEmpty)
  }

  @Test("What was never recorded has an empty history")
  func unknown() throws {
    let running = try RunningService()
    #expect(try history(running) { $0.customerID = "nobody" }.entries.isEmpty)
    #expect(try history(running) { $0.transactionID = "1" }.entries.isEmpty)
    #expect(try history(running) { ($0.originalTransactionID, $0.environment) = ("1", .sandbox) }.entries.isEmpty)
  }

  @Test("An entry has what was recorded with it")
  func entry() throws {
    let running = try RunningService()
    let request = RecordTransactionRequest.with {
      ($0.customerID, $0.transaction, $0.sharedFrom) = ("bob", .shared("2"), ["1"])
      ($0.source, $0.receivedAtMilliseconds) = (.import, RunningService.now)
      $0.renewalInfo = .with { ($0.signedDateMilliseconds, $0.isInBillingRetryPeriod) = (RunningService.now, true) }
    }
    _ = try running.call(.recordTransaction, request, as: RecordTransactionResponse.self)
    let revoke = RecordTransactionRequest.with {
      $0.transaction = .shared("2")
      $0.notification = .with { ($0.type, $0.signedDateMilliseconds) = ("REVOKE", RunningService.now - day) }
    }
    _ = try running.call(.recordTransaction, revoke, as: RecordTransactionResponse.self)
    let response = try history(running) { $0.customerID = "bob" }
    let entry = try #require(response.entries.first)
    #expect(entry.transaction?.ownership == .familyShared)
    #expect(entry.customerIDs == ["bob"])
    #expect(entry.firstRecordedAtMilliseconds == RunningService.now)
    #expect(entry.recordedAtMilliseconds == RunningService.now)
    #expect(entry.source == .import)
    #expect(entry.sharedFrom == ["1"])
    #expect(entry.revokedWithoutDateMilliseconds == RunningService.now - day)
    #expect(!entry.refundReversed)
    #expect(response.renewalInfos.map(\.originalTransactionID) == ["2"])
    #expect(response.renewalInfos.first?.isInBillingRetryPeriod == true)
  }

  /// A hundred and one transactions of one customer, the oldest first.
  private func crowded() throws -> RunningService {
    let running = try RunningService()
    for index in 0..<101 {
      var transaction = LatchkeyWire.Transaction.lasting("\(index)", product: "p")
      transaction.purchaseDateMilliseconds += Int64(index)
      try running.record(transaction)
    }
    return running
  }

  @Test("Pages of any size give the whole history, in order and once")
  func pages() throws {
    let running = try crowded()
    for size: UInt32 in [1, 50, 100, 101, 102, 1_000, 5_000, .max] {
      var ids: [String] = []
      var token = ""
      repeat {
        let page = try history(running) { ($0.customerID, $0.pageSize, $0.pageToken) = ("alice", size, token) }
        #expect(page.entries.count <= size)
        ids += page.entries.compactMap(\.transaction?.transactionID)
        token = page.nextPageToken
      } while !token.isEmpty && ids.count <= 101
      #expect(ids == (0..<101).map(String.init), "pages of \(size)")
    }
  }

  @Test("A page that would be larger than a frame ends earlier")
  func largePages() throws {
    let running = try RunningService()
    // Each entry has about 3.5 KB, so 700 of them take over 2 MiB. They are recorded unclaimed, and claimed by one more of the
    // same account, so that alice's answers are folded once.
    let streams = (0..<700).map { index in
      func name(_ word: String) -> String { "\(index) \(word) " + text(110) }
      let transaction = LatchkeyWire.Transaction.with {
        ($0.transactionID, $0.originalTransactionID, $0.productID) = (name("own"), name("first"), name("product"))
        ($0.type, $0.rawType, $0.ownership, $0.currency) = (.other, text(256), .familyShared, text(256))
        ($0.revocationType, $0.rawRevocationType) = (.other, text(256))
        ($0.revocationReason, $0.rawRevocationReason, $0.appTransactionID) = (.unnamed, text(256), "account")
      }
      let links = (0..<16).map { name("\($0)") }
      return running.send(
        Request(
          .recordTransaction,
          RecordTransactionRequest.with { ($0.transaction, $0.sharedFrom) = (transaction, links) }))
    }
    for stream in streams { #expect(try running.response(on: stream).status == nil) }
    var claim = LatchkeyWire.Transaction.shared("claim")
    claim.appTransactionID = "account"
    try running.record(claim)
    var count = 0
    var token = ""
    var pages = 0
    repeat {
      let page = try history(running) { ($0.customerID, $0.pageToken) = ("alice", token) }
      count += page.entries.count
      pages += 1
      token = page.nextPageToken
    } while !token.isEmpty && pages < 10
    #expect(count == 701)
    #expect(pages > 1)
  }

  /// Requests that can never be right, with the field that is to be named.
  static let bad: [(GetHistoryRequest, String)] = [
    (GetHistoryRequest(), "customer_id"),
    (.with { ($0.customerID, $0.transactionID) = ("alice", "1") }, "customer_id"),
    (.with { ($0.transactionID, $0.originalTransactionID) = ("1", "1") }, "customer_id"),
    (.with { $0.customerID = text(129) }, "customer_id"),
    (.with { $0.transactionID = text(129) }, "transaction_id"),
    (.with { $0.originalTransactionID = text(129) }, "original_transaction_id"),
    (.with { ($0.customerID, $0.environment) = ("alice", .sandbox) }, "environment"),
    (.with { ($0.transactionID, $0.environment) = ("1", .other) }, "environment"),
    (.with { ($0.transactionID, $0.environment) = ("1", Environment(rawValue: 77)) }, "environment"),
    (.with { ($0.customerID, $0.pageToken) = ("alice", "next") }, "page_token"),
    (.with { ($0.customerID, $0.pageToken) = ("alice", "-1") }, "page_token"),
    (.with { ($0.customerID, $0.pageToken) = ("alice", "99999999999999999999") }, "page_token"),
  ]

  @Test("A bad field is INVALID_ARGUMENT and named", arguments: bad)
  func badFields(request: GetHistoryRequest, field: String) throws {
    let status = try RunningService().failure(.getHistory, request)
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix("\(field): "), "\(status.message)")
  }

  @Test("A page token beyond the end gives an empty last page", arguments: [1, Int.max])
  func tokenBeyondTheEnd(offset: Int) throws {
    let running = try RunningService()
    try running.record(.subscription("1"))
    let page = try history(running) { ($0.customerID, $0.pageToken) = ("alice", "\(offset)") }
    #expect(page.entries.isEmpty)
    #expect(page.nextPageToken.isEmpty)
  }

  @Test("The refund report counts each class, and adds up what was paid back by currency")
  func refundReport() throws {
    let running = try RunningService()
    func refund(_ id: String, price: Int64, currency: String, percentage: Int32? = nil) -> LatchkeyWire.Transaction {
      var transaction = LatchkeyWire.Transaction.subscription(id).refunded
      (transaction.priceMilliunits, transaction.currency, transaction.revocationPercentage) = (price, currency, percentage)
      return transaction
    }
    try running.record(
      refund("1", price: 9_990, currency: "USD"), refund("2", price: 9_990, currency: "USD", percentage: 50_000),
      refund("3", price: 1_000, currency: "EUR"))
    var shared = LatchkeyWire.Transaction.shared("4").refunded
    try running.record(shared, for: "bob")
    (shared.transactionID, shared.revocationType) = ("5", .familyRevoke)
    try running.record(shared, for: "carol")
    var bundle = LatchkeyWire.Transaction.subscription("6").refunded
    bundle.revocationReason = .upgradedToBundle
    try running.record(bundle)
    var reversed = LatchkeyWire.Transaction.subscription("3")
    reversed.signedDateMilliseconds = RunningService.now
    try running.record(reversed)
    _ = try running.call(
      .recordTransaction, RecordTransactionRequest.with { $0.transaction = .subscription("7") },
      as: RecordTransactionResponse.self)
    let report = try running.call(.getRefundReport, GetRefundReportRequest(), as: GetRefundReportResponse.self)
    #expect(report.refunds == 2)
    #expect(report.sharedRefunds == 1)
    #expect(report.familyDepartures == 1)
    #expect(report.bundleUpgrades == 1)
    #expect(report.reversals == 1)
    #expect(report.unclaimed == 1)
    #expect(report.amounts.map(\.currency) == ["USD"])
    #expect(report.amounts.map(\.amountMilliunits) == [14_985])
    #expect(report.revision == running.store.revision)
  }
}
