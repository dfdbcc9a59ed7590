import Entitlements
import LatchkeyWire
import Storage

// GetHistory.

extension EntitlementService {
  /// Gives what was recorded for a customer, or about a transaction or a lineage, page by page.
  func history<Reply>(_ call: Call<Reply>) {
    guard let request = call.request(GetHistoryRequest.self) else { return }
    call.answer { () throws(Status) in
      let query = try HistoryQuery(request)
      return store.read { ledger, revision in GetHistoryResponse(ledger, query, revision: revision) }
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
    environment = try Field.environment(request.environment)
    if environment != nil, !request.customerID.isEmpty {
      throw Status(.invalidArgument, "environment: belongs with a transaction id; a customer's history has all of theirs")
    }
    pageSize = request.pageSize == 0 ? Limits.historyEntriesInPage : min(Int(request.pageSize), Limits.historyEntriesInPage)
    guard let offset = request.pageToken.isEmpty ? 0 : Int(request.pageToken), offset >= 0 else {
      throw Status(.invalidArgument, "page_token: isn't one that this server gave")
    }
    self.offset = offset
  }

  func numbers(in ledger: Ledger) -> [RecordNumber] {
    let environment = environment ?? ledger.settings.environment
    switch subject {
    case .customer(let customer): return ledger.holdings(of: customer)
    case .transaction(let id): return ledger.number(of: ScopedID(environment, id)).map { [$0] } ?? []
    case .lineage(let id): return ledger.transactions(of: ScopedID(environment, id))
    }
  }
}

extension GetHistoryResponse {
  /// How many bytes of grants and entries a page begins at most one more with: a page, renewal infos included, is to fit into a frame.
  private static let pageByteCount = Limits.frameBytes / 2

  fileprivate init(_ ledger: Ledger, _ query: HistoryQuery, revision: UInt64) {
    self.init()
    self.revision = revision
    let numbers = ledger.inOrder(query.numbers(in: ledger))
    let page = numbers.dropFirst(query.offset).prefix(query.pageSize)
    if case .customer(let customer) = query.subject, query.offset == 0 {
      grants = (ledger.grants[customer] ?? []).map { LatchkeyWire.ManualGrant($0) }
    }
    var byteCount = grants.isEmpty ? 0 : encoded().count
    var lineages: Set<ScopedID> = []
    for number in page {
      let record = ledger.records[number]
      let entry = HistoryEntry(record)
      entries.append(entry)
      byteCount += entry.encoded().count
      if lineages.insert(record.lineage).inserted, let info = ledger.renewalInfo(of: record.lineage) {
        renewalInfos.append(LatchkeyWire.RenewalInfo(info))
      }
      if byteCount >= GetHistoryResponse.pageByteCount { break }
    }
    let end = query.offset + entries.count
    if end < numbers.count { nextPageToken = String(end) }
  }
}

extension HistoryEntry {
  /// What is kept of one transaction, in the terms of the wire.
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
