import Entitlements
import LatchkeyWire
import Storage

// GetHistory.

extension EntitlementService {
  /// Gives what was recorded for a customer, or about a transaction or a lineage, page by page.
  func history(_ call: Call) {
    guard let request = call.request(GetHistoryRequest.self) else { return }
    call.answerWithBytes { () throws(Status) in
      let query = try HistoryQuery(request)
      return store.read { ledger, revision in HistoryPage(ledger, query, revision: revision) }.encoded()
    }
  }
}

/// What a history is asked for.
struct HistoryQuery: Sendable {
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
