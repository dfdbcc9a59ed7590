import Protobuf

/// Asks for the transactions of a customer or a lineage, one page at a time. Exactly one of the three ids is given.
public struct GetHistoryRequest: Message {
  public var customerID = ""
  public var transactionID = ""
  public var originalTransactionID = ""
  /// The environment of the transaction id; absent: the server's own.
  public var environment = Environment()
  /// The most entries of one page, up to 1,000, which 0 stands for.
  public var pageSize: UInt32 = 0
  /// The token that came with the page before; absent for the first page.
  public var pageToken = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "transaction_id", &transactionID)
    try visitor.string(3, "original_transaction_id", &originalTransactionID)
    try visitor.enumeration(4, "environment", &environment)
    try visitor.uint32(5, "page_size", &pageSize)
    try visitor.string(6, "page_token", &pageToken)
  }
}

/// One page of a history.
public struct GetHistoryResponse: Message {
  /// The page's transactions, by environment, then purchase date, then transaction id.
  public var entries: [HistoryEntry] = []
  /// The newest of each lineage that has an entry on this page.
  public var renewalInfos: [RenewalInfo] = []
  /// Absent on the last page.
  public var nextPageToken = ""
  public var revision: UInt64 = 0
  /// All manual grants of the customer, on the first page, in the order of recording.
  public var grants: [ManualGrant] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "entries", &entries)
    try visitor.messages(2, "renewal_infos", &renewalInfos)
    try visitor.string(3, "next_page_token", &nextPageToken)
    try visitor.uint64(4, "revision", &revision)
    try visitor.messages(5, "grants", &grants)
  }
}

/// One transaction as the store holds it.
public struct HistoryEntry: Message {
  /// Its newest version.
  public var transaction: Transaction?
  /// Who holds it, first holder first.
  public var customerIDs: [String] = []
  public var firstRecordedAtMilliseconds: Int64 = 0
  /// When its newest version was recorded.
  public var recordedAtMilliseconds: Int64 = 0
  /// Where its newest version came from.
  public var source = Source()
  /// Links that were given with it.
  public var sharedFrom: [String] = []
  /// The moment of a REVOKE whose transaction had no revocation date.
  public var revokedWithoutDateMilliseconds: Int64?
  /// A version with a revocation is known that was signed before the newest, which has none.
  public var refundReversed = false

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "transaction", &transaction)
    try visitor.strings(2, "customer_ids", &customerIDs)
    try visitor.int64(3, "first_recorded_at_ms", &firstRecordedAtMilliseconds)
    try visitor.int64(4, "recorded_at_ms", &recordedAtMilliseconds)
    try visitor.enumeration(5, "source", &source)
    try visitor.strings(6, "shared_from", &sharedFrom)
    try visitor.int64(7, "revoked_without_date_ms", &revokedWithoutDateMilliseconds)
    try visitor.bool(8, "refund_reversed", &refundReversed)
  }
}
