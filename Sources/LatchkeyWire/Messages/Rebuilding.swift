import Protobuf

/// Asks to fold entitlements anew from their transactions. Exactly one of customer, lineage and everyone is given.
public struct RebuildEntitlementsRequest: Message {
  public var customerID = ""
  public var originalTransactionID = ""
  public var everyone = false
  public var dryRun = false
  /// With ``customerID``, Apple's full history, of which what is newer is recorded first.
  public var history: [Transaction] = []
  /// The same as a JSON array of Apple's decoded transactions; not both.
  public var historyJSON = ""
  /// The environment of ``originalTransactionID``; absent: the server's own.
  public var environment = Environment()

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "original_transaction_id", &originalTransactionID)
    try visitor.bool(3, "everyone", &everyone)
    try visitor.bool(4, "dry_run", &dryRun)
    try visitor.messages(5, "history", &history)
    try visitor.string(6, "history_json", &historyJSON)
    try visitor.enumeration(7, "environment", &environment)
  }
}

/// One message of the stream that a rebuild answers; the last one carries the summary.
public struct RebuildProgress: Message {
  /// Folded so far.
  public var customers: UInt64 = 0
  /// Known when it began.
  public var customersTotal: UInt64 = 0
  public var transactions: UInt64 = 0
  /// Since the message before.
  public var corrections: [Correction] = []
  public var summary: RebuildSummary?

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "customers", &customers)
    try visitor.uint64(2, "customers_total", &customersTotal)
    try visitor.uint64(3, "transactions", &transactions)
    try visitor.messages(4, "corrections", &corrections)
    try visitor.message(5, "summary", &summary)
  }
}

/// One answer that the rebuild found wrong.
public struct Correction: Message {
  public var customerID = ""
  public var entitlement = ""
  public var before: CorrectedAnswer?
  public var after: CorrectedAnswer?

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "entitlement", &entitlement)
    try visitor.message(3, "before", &before)
    try visitor.message(4, "after", &after)
  }
}

/// The answer at one moment, before or after a correction.
public struct CorrectedAnswer: Message {
  public var allowed = false
  public var reason = Reason()
  public var validUntilMilliseconds: Int64?
  /// The moment at which the two answers differ.
  public var atTimeMilliseconds: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.bool(1, "allowed", &allowed)
    try visitor.enumeration(2, "reason", &reason)
    try visitor.int64(3, "valid_until_ms", &validUntilMilliseconds)
    try visitor.int64(4, "at_time_ms", &atTimeMilliseconds)
  }
}

/// What a rebuild did in all.
public struct RebuildSummary: Message {
  public var customers: UInt64 = 0
  public var transactions: UInt64 = 0
  public var corrections: UInt64 = 0
  /// Transactions of the given history that were new (in a dry run: would have been).
  public var recorded: UInt64 = 0
  /// Transaction ids that are held but that the given history doesn't list.
  public var notListed: [String] = []
  /// What the given history changed (in a dry run: would have).
  public var changes: [AccessChange] = []
  public var revision: UInt64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "customers", &customers)
    try visitor.uint64(2, "transactions", &transactions)
    try visitor.uint64(3, "corrections", &corrections)
    try visitor.uint64(4, "recorded", &recorded)
    try visitor.strings(5, "not_listed", &notListed)
    try visitor.messages(6, "changes", &changes)
    try visitor.uint64(7, "revision", &revision)
  }
}
