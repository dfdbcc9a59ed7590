import Entitlements
import LatchkeyWire
import Storage

// GetHistory and GetRefundReport.

extension EntitlementService {
  /// Gives what was recorded for a customer, or about a transaction or a lineage, page by page.
  func history<Reply>(_ call: Call<Reply>) {
    guard let request = call.request(GetHistoryRequest.self) else { return }
    answering(call) { () throws(Status) in
      let query = try HistoryQuery(request)
      return store.read { ledger, revision in GetHistoryResponse(ledger, query, revision: revision) }
    }
  }

  /// Gives the refund report over all time.
  func refundReport<Reply>(_ call: Call<Reply>) {
    guard call.request(GetRefundReportRequest.self) != nil else { return }
    answering(call) { () throws(Status) in
      store.read { ledger, revision in GetRefundReportResponse(ledger.refundReport(), revision: revision) }
    }
  }
}

/// What a history is asked for.
private struct HistoryQuery: Sendable {
  enum Subject: Sendable {
    case customer(CustomerID)
    case transaction(Identifier)
    case lineage(Identifier)
  }

  var subject: Subject
  /// Nil: the server's own.
  var environment: Entitlements.Environment?
  var pageSize: Int
  /// How many entries came on earlier pages.
  var offset: Int

  init(_ request: GetHistoryRequest) throws(Status) {
    let given = [request.customerID, request.transactionID, request.originalTransactionID].filter { !$0.isEmpty }
    guard given.count == 1 else {
      throw Status(
        .invalidArgument, "customer_id: give exactly one of customer_id, transaction_id and original_transaction_id")
    }
    if !request.customerID.isEmpty {
      subject = .customer(try Field.id(request.customerID, named: "customer_id"))
    } else if !request.transactionID.isEmpty {
      subject = .transaction(try Field.id(request.transactionID, named: "transaction_id"))
    } else {
      subject = .lineage(try Field.id(request.originalTransactionID, named: "original_transaction_id"))
    }
    environment = Environment(request.environment, raw: "")
    guard request.pageSize <= Limits.historyEntriesInPage else {
      throw Status(.invalidArgument, "page_size: a page has at most \(Limits.historyEntriesInPage) entries")
    }
    pageSize = request.pageSize == 0 ? Int(Limits.historyEntriesInPage) : Int(request.pageSize)
    guard let offset = request.pageToken.isEmpty ? 0 : Int(request.pageToken), offset >= 0 else {
      throw Status(.invalidArgument, "page_token: isn't one that this server gave")
    }
    self.offset = offset
  }

  func numbers(in ledger: Ledger) -> [RecordNumber] {
    let environment = environment ?? ledger.settings.environment
    switch subject {
    case .customer(let customer): return ledger.holdings[customer] ?? []
    case .transaction(let id): return ledger.number(of: ScopedID(environment, id)).map { [$0] } ?? []
    case .lineage(let id): return ledger.lineages[ScopedID(environment, id)]?.records ?? []
    }
  }
}

extension GetHistoryResponse {
  fileprivate init(_ ledger: Ledger, _ query: HistoryQuery, revision: UInt64) {
    self.init()
    self.revision = revision
    let numbers = ledger.inOrder(query.numbers(in: ledger))
    let page = numbers.dropFirst(query.offset).prefix(query.pageSize)
    entries = page.map { HistoryEntry(ledger.records[$0]) }
    let end = query.offset + page.count
    if end < numbers.count { nextPageToken = String(end) }
    var seen: Set<ScopedID> = []
    for number in page where seen.insert(ledger.records[number].lineage).inserted {
      if let info = ledger.lineages[ledger.records[number].lineage]?.renewalInfo {
        renewalInfos.append(LatchkeyWire.RenewalInfo(info))
      }
    }
  }
}

extension HistoryEntry {
  init(_ record: Record) {
    self.init()
    transaction = LatchkeyWire.Transaction(record.transaction)
    customerIDs = record.holders.map(\.text)
    firstRecordedAtMilliseconds = record.firstRecordedAt.milliseconds
    recordedAtMilliseconds = record.recordedAt.milliseconds
    source = LatchkeyWire.Source(record.source)
    sharedFrom = record.links.map(\.text)
    revokedWithoutDateMilliseconds = record.markedFrom?.milliseconds
    refundReversed = record.isReversed
  }
}

extension GetRefundReportResponse {
  init(_ report: RefundReport, revision: UInt64) {
    self.init()
    refunds = Int64(report.refunds)
    sharedRefunds = Int64(report.sharedRefunds)
    familyDepartures = Int64(report.familyDepartures)
    bundleUpgrades = Int64(report.bundleUpgrades)
    reversals = Int64(report.reversals)
    unclaimed = Int64(report.unclaimed)
    amounts = report.amounts.sorted { $0.key < $1.key }.map { currency, amount in
      CurrencyAmount.with {
        $0.currency = currency
        $0.amountMilliunits = amount
      }
    }
    self.revision = revision
  }
}
