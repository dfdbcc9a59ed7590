import Protobuf

/// Asks what was known about a customer at a moment.
public struct AuditAccessRequest: Message {
  public var customerID = ""
  /// The one asked about; empty: all.
  public var entitlement = ""
  /// The moment, in milliseconds since 1970 UTC; 0: now.
  public var atTimeMilliseconds: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "entitlement", &entitlement)
    try visitor.int64(3, "at_time_ms", &atTimeMilliseconds)
  }
}

/// Says what was known, what was answered by it, and what came later that answers otherwise.
public struct AuditAccessResponse: Message {
  public var answers: [AuditedAnswer] = []
  /// What the customer held, in the versions that were known.
  public var known: [HistoryEntry] = []
  /// What came after the moment and changed an answer for it, in order.
  public var later: [LaterInput] = []
  /// The last revision that was known.
  public var knownRevision: UInt64 = 0
  public var revision: UInt64 = 0
  public var customerWasKnown = false
  public var customerIsKnown = false
  public var atTimeMilliseconds: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "answers", &answers)
    try visitor.messages(2, "known", &known)
    try visitor.messages(3, "later", &later)
    try visitor.uint64(4, "known_revision", &knownRevision)
    try visitor.uint64(5, "revision", &revision)
    try visitor.bool(6, "customer_was_known", &customerWasKnown)
    try visitor.bool(7, "customer_is_known", &customerIsKnown)
    try visitor.int64(8, "at_time_ms", &atTimeMilliseconds)
  }
}

/// An answer for one moment, by what was known at it and by what is known today.
public struct AuditedAnswer: Message {
  public var then: EntitlementAnswer?
  public var today: EntitlementAnswer?

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "then", &then)
    try visitor.message(2, "today", &today)
  }
}

/// Something that came later and changed an answer.
public struct LaterInput: Message {
  public var revision: UInt64 = 0
  public var recordedAtMilliseconds: Int64 = 0
  /// What it was: recording, erasure, move, settings or catalog.
  public var kind = ""
  public var source = Source()
  public var transactionIDs: [String] = []
  /// Apple's word for the notification that it came in.
  public var notificationType = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.int64(2, "recorded_at_ms", &recordedAtMilliseconds)
    try visitor.string(3, "kind", &kind)
    try visitor.enumeration(4, "source", &source)
    try visitor.strings(5, "transaction_ids", &transactionIDs)
    try visitor.string(6, "notification_type", &notificationType)
  }
}
