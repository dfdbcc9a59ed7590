import Protobuf

/// Asks whether a customer may use an entitlement.
public struct CheckAccessRequest: Message {
  public var customerID = ""
  public var entitlement = ""
  /// The moment asked about; 0: now.
  public var atTimeMilliseconds: Int64 = 0
  /// Waits, within the deadline, until the state includes this revision.
  public var minRevision: UInt64 = 0

  public init() {}

  /// Makes the question; a moment of 0 is now.
  public init(customerID: String, entitlement: String, atTimeMilliseconds: Int64 = 0, minRevision: UInt64 = 0) {
    self.customerID = customerID
    self.entitlement = entitlement
    self.atTimeMilliseconds = atTimeMilliseconds
    self.minRevision = minRevision
  }

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "entitlement", &entitlement)
    try visitor.int64(3, "at_time_ms", &atTimeMilliseconds)
    try visitor.uint64(4, "min_revision", &minRevision)
  }
}

/// Says whether the customer may, why, and until when.
public struct CheckAccessResponse: Message {
  public var allowed = false
  public var reason = Reason()
  /// When access ends if nothing else happens; absent where it never ends.
  public var validUntilMilliseconds: Int64?
  /// The ownership of the grant that answers, when allowed.
  public var ownership = Ownership()
  public var revision: UInt64 = 0
  /// Why this one check of a batch failed, as a ``StatusCode``; absent outside a batch.
  public var statusCode = StatusCode()
  /// The failure in words, with ``statusCode``.
  public var statusMessage = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.bool(1, "allowed", &allowed)
    try visitor.enumeration(2, "reason", &reason)
    try visitor.int64(3, "valid_until_ms", &validUntilMilliseconds)
    try visitor.enumeration(4, "ownership", &ownership)
    try visitor.uint64(5, "revision", &revision)
    try visitor.enumeration(6, "status_code", &statusCode)
    try visitor.string(7, "status_message", &statusMessage)
  }
}

/// Asks many checks at once.
public struct CheckAccessBatchRequest: Message {
  /// The checks, at most ``Limits/checksInBatch``.
  public var checks: [CheckAccessRequest] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "checks", &checks)
  }
}

/// Answers many checks at once.
public struct CheckAccessBatchResponse: Message {
  /// The answers in the order asked.
  public var results: [CheckAccessResponse] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "results", &results)
  }
}
