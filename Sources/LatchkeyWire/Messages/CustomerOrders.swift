import Protobuf

/// Orders that a customer be forgotten.
public struct EraseCustomerRequest: Message {
  public var customerID = ""
  /// Who orders it.
  public var by = ""
  /// Why.
  public var note = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "by", &by)
    try visitor.string(3, "note", &note)
  }
}

/// Says what was forgotten, and when it is gone from the disk too.
public struct EraseCustomerResponse: Message {
  public var revision: UInt64 = 0
  public var erasedAtMilliseconds: Int64 = 0
  /// Transactions of which nothing remains.
  public var transactionsRemoved: UInt64 = 0
  /// Transactions that refund reports go on counting, without ids.
  public var transactionsAnonymous: UInt64 = 0
  /// Transactions that others hold too, or that others' access rests on: they stay without the customer.
  public var transactionsKept: UInt64 = 0
  /// What the customer lost.
  public var changes: [AccessChange] = []
  /// It is gone from the disk with the so manieth snapshot from now on that has a revision of its own.
  public var goneWithSnapshots: UInt32 = 0
  /// How many customers were erased so far.
  public var erasures: UInt64 = 0
  /// And so many days later, where the server keeps its journal longer.
  public var keptJournalDays: UInt32 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.int64(2, "erased_at_ms", &erasedAtMilliseconds)
    try visitor.uint64(3, "transactions_removed", &transactionsRemoved)
    try visitor.uint64(4, "transactions_anonymous", &transactionsAnonymous)
    try visitor.uint64(5, "transactions_kept", &transactionsKept)
    try visitor.messages(6, "changes", &changes)
    try visitor.uint32(7, "gone_with_snapshots", &goneWithSnapshots)
    try visitor.uint64(8, "erasures", &erasures)
    try visitor.uint32(9, "kept_journal_days", &keptJournalDays)
  }
}

/// Orders that all that one customer holds become another's.
public struct MoveCustomerRequest: Message {
  public var fromCustomerID = ""
  /// May hold things already.
  public var toCustomerID = ""
  /// Who orders it.
  public var by = ""
  /// Why.
  public var note = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "from_customer_id", &fromCustomerID)
    try visitor.string(2, "to_customer_id", &toCustomerID)
    try visitor.string(3, "by", &by)
    try visitor.string(4, "note", &note)
  }
}

/// Says what was moved.
public struct MoveCustomerResponse: Message {
  public var revision: UInt64 = 0
  public var transactions: UInt64 = 0
  /// What the two gained and lost.
  public var changes: [AccessChange] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.uint64(2, "transactions", &transactions)
    try visitor.messages(3, "changes", &changes)
  }
}
