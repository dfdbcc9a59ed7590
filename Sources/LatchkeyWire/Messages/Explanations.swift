import Protobuf

/// Asks for everything that a customer may use.
public struct ListEntitlementsRequest: Message {
  public var customerID = ""
  /// The moment asked about; 0: now.
  public var atTimeMilliseconds: Int64 = 0
  public var minRevision: UInt64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.int64(2, "at_time_ms", &atTimeMilliseconds)
    try visitor.uint64(3, "min_revision", &minRevision)
  }
}

/// Lists the entitlements of a customer, allowed and denied.
public struct ListEntitlementsResponse: Message {
  /// Every entitlement that some transaction or grant of the customer could give, by name.
  public var entitlements: [EntitlementAnswer] = []
  public var revision: UInt64 = 0
  /// Whether the customer is known; false: the customer holds nothing at all.
  public var customerKnown = false

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "entitlements", &entitlements)
    try visitor.uint64(2, "revision", &revision)
    try visitor.bool(3, "customer_known", &customerKnown)
  }
}

/// Says of one entitlement what CheckAccess would say.
public struct EntitlementAnswer: Message {
  public var entitlement = ""
  public var allowed = false
  public var reason = Reason()
  public var validUntilMilliseconds: Int64?
  public var ownership = Ownership()

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "entitlement", &entitlement)
    try visitor.bool(2, "allowed", &allowed)
    try visitor.enumeration(3, "reason", &reason)
    try visitor.int64(4, "valid_until_ms", &validUntilMilliseconds)
    try visitor.enumeration(5, "ownership", &ownership)
  }
}

/// Asks why a customer has or lacks access.
public struct ExplainAccessRequest: Message {
  public var customerID = ""
  /// Absent: all that the customer's transactions could grant.
  public var entitlement = ""
  /// The moment asked about; 0: now.
  public var atTimeMilliseconds: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "entitlement", &entitlement)
    try visitor.int64(3, "at_time_ms", &atTimeMilliseconds)
  }
}

/// Explains the answer, transaction by transaction and grant by grant.
public struct ExplainAccessResponse: Message {
  public var answers: [EntitlementAnswer] = []
  public var transactions: [TransactionExplanation] = []
  public var revision: UInt64 = 0
  public var customerKnown = false
  /// In the order of recording.
  public var grants: [GrantExplanation] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "answers", &answers)
    try visitor.messages(2, "transactions", &transactions)
    try visitor.uint64(3, "revision", &revision)
    try visitor.bool(4, "customer_known", &customerKnown)
    try visitor.messages(5, "grants", &grants)
  }
}

/// One transaction of the customer: what it grants, or which rule stops it, and since when.
public struct TransactionExplanation: Message {
  public var transaction: Transaction?
  /// What its product grants by the catalog, its own name included.
  public var entitlements: [String] = []
  public var grants = false
  public var reason = Reason()
  /// Since when it grants, or is denied for this reason; absent: always.
  public var sinceMilliseconds: Int64?
  /// When it ends, if nothing else happens; absent: never.
  public var untilMilliseconds: Int64?
  /// The same in words.
  public var sentence = ""
  /// Original transaction ids of the purchases behind a shared transaction.
  public var linkedPurchases: [String] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "transaction", &transaction)
    try visitor.strings(2, "entitlements", &entitlements)
    try visitor.bool(3, "grants", &grants)
    try visitor.enumeration(4, "reason", &reason)
    try visitor.int64(5, "since_ms", &sinceMilliseconds)
    try visitor.int64(6, "until_ms", &untilMilliseconds)
    try visitor.string(7, "sentence", &sentence)
    try visitor.strings(8, "linked_purchases", &linkedPurchases)
  }
}
