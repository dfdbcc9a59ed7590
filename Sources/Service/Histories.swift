import Entitlements
import LatchkeyWire
import Protobuf
import Storage

// GetHistory.

extension EntitlementService {
  /// Gives what was recorded for a customer, or about a transaction or a lineage, page by page.
  func history<Reply>(_ call: Call<Reply>) {
    guard let request = call.request(GetHistoryRequest.self) else { return }
    do throws(Status) {
      let query = try HistoryQuery(request)
      let page = store.read { ledger, revision in HistoryPage(ledger, query, revision: revision) }
      call.finish(encoded: page.encoded())
    } catch {
      call.fail(error)
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

/// What a page may hold, as the ledger had it; made an answer without holding up recordings.
private struct HistoryPage: Sendable {
  /// In order; those that don't fit go to the next page.
  private let records: [Record]
  /// For each record the renewal info of its lineage, where the record is the lineage's first on this page.
  private let renewalInfos: [Entitlements.RenewalInfo?]
  /// Where the page begins in the whole history, and where that ends.
  private let whole: Range<Int>
  /// What stands behind the entries.
  private var rest = GetHistoryResponse()

  /// How many bytes of grants and entries a page begins at most one more with: a page, renewal infos included, is to fit into a frame.
  private static let byteLimit = Limits.frameBytes / 2

  init(_ ledger: Ledger, _ query: HistoryQuery, revision: UInt64) {
    let numbers = ledger.inOrder(query.numbers(in: ledger))
    whole = query.offset..<max(query.offset, numbers.count)
    let page = numbers.dropFirst(query.offset).prefix(query.pageSize)
    records = page.map { ledger.records[$0] }
    renewalInfos = ledger.renewalInfos(ofLineagesOf: page)
    rest.revision = revision
    if case .customer(let customer) = query.subject, query.offset == 0 {
      rest.grants = (ledger.grants[customer] ?? []).map { LatchkeyWire.ManualGrant($0) }
    }
  }

  /// The bytes of a ``GetHistoryResponse``, whose entries are written one by one, so that the page ends where it is full.
  consuming func encoded() -> [UInt8] {
    var encoder = MessageEncoder(roomFor: 256 * (records.count + 1))
    var byteCount = rest.grants.isEmpty ? 0 : rest.encoded().count
    var end = whole.lowerBound
    for index in records.indices where byteCount < HistoryPage.byteLimit || end == whole.lowerBound {
      var entry = records[index].historyEntry
      byteCount += GetHistoryResponse.append(&entry, to: &encoder)
      if let info = renewalInfos[index] { rest.renewalInfos.append(LatchkeyWire.RenewalInfo(info)) }
      end += 1
    }
    if end < whole.upperBound { rest.nextPageToken = String(end) }
    rest.encode(into: &encoder)
    return encoder.bytes
  }
}

extension Record {
  /// What is kept of one transaction, in the terms of the wire.
  var historyEntry: HistoryEntry {
    var entry = HistoryEntry()
    entry.transaction = transaction.message()
    entry.customerIDs = holders.map(\.text)
    entry.firstRecordedAtMilliseconds = firstRecordedAt.milliseconds
    entry.recordedAtMilliseconds = recordedAt.milliseconds
    entry.source = LatchkeyWire.Source(source)
    entry.sharedFrom = links.map(\.text)
    entry.revokedWithoutDateMilliseconds = markedFrom?.milliseconds
    entry.refundReversed = isReversed
    return entry
  }
}
