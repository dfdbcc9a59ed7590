import Protobuf

/// Where a recording came from.
public struct Source: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Stands for a server notification where the recording has a notification, else for a device.
  public static let unspecified = Source(rawValue: 0)
  public static let serverNotification = Source(rawValue: 1)
  public static let device = Source(rawValue: 2)
  public static let serverAPI = Source(rawValue: 3)
  public static let `import` = Source(rawValue: 4)
  public static let `operator` = Source(rawValue: 5)

  public static let names: [(value: Source, name: String)] = [
    (.unspecified, "UNSPECIFIED"),
    (.serverNotification, "SERVER_NOTIFICATION"),
    (.device, "DEVICE"),
    (.serverAPI, "SERVER_API"),
    (.import, "IMPORT"),
    (.operator, "OPERATOR"),
  ]
}

/// What became of a recording.
public struct Outcome: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let unspecified = Outcome(rawValue: 0)
  public static let applied = Outcome(rawValue: 1)
  public static let duplicate = Outcome(rawValue: 2)
  public static let stale = Outcome(rawValue: 3)
  public static let unclaimed = Outcome(rawValue: 4)
  public static let heldByAnother = Outcome(rawValue: 5)
  public static let ignored = Outcome(rawValue: 6)

  public static let names: [(value: Outcome, name: String)] = [
    (.unspecified, "UNSPECIFIED"),
    (.applied, "APPLIED"),
    (.duplicate, "DUPLICATE"),
    (.stale, "STALE"),
    (.unclaimed, "UNCLAIMED"),
    (.heldByAnother, "HELD_BY_ANOTHER"),
    (.ignored, "IGNORED"),
  ]
}

/// Hands over what Apple sent: either ``appleJSON``, just as it came, or the fields; not both.
public struct RecordTransactionRequest: Message {
  /// May be absent.
  public var customerID = ""
  public var transaction: Transaction?
  public var notification: Notification?
  public var renewalInfo: RenewalInfo?
  /// Original transaction ids of the purchases behind a FAMILY_SHARED transaction.
  public var sharedFrom: [String] = []
  public var source = Source()
  /// When it reached the caller; 0: now.
  public var receivedAtMilliseconds: Int64 = 0
  /// The moment at which the answer's changes compare before and after; 0: now.
  public var evaluateChangesAtMilliseconds: Int64 = 0
  /// A decoded notification of version 2 or 1, or a decoded transaction, just as Apple sent it.
  public var appleJSON = ""
  /// The decoded renewal info beside a bare transaction in ``appleJSON``.
  public var renewalInfoJSON = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.message(2, "transaction", &transaction)
    try visitor.message(3, "notification", &notification)
    try visitor.message(4, "renewal_info", &renewalInfo)
    try visitor.strings(5, "shared_from", &sharedFrom)
    try visitor.enumeration(6, "source", &source)
    try visitor.int64(7, "received_at_ms", &receivedAtMilliseconds)
    try visitor.int64(8, "evaluate_changes_at_ms", &evaluateChangesAtMilliseconds)
    try visitor.string(9, "apple_json", &appleJSON)
    try visitor.string(10, "renewal_info_json", &renewalInfoJSON)
  }
}

/// Says what became of a recording, once it is durable.
public struct RecordTransactionResponse: Message {
  public var outcome = Outcome()
  /// Who holds the transaction (the first holder, where purchases are shared); absent if unclaimed or ignored.
  public var customerID = ""
  public var revision: UInt64 = 0
  public var changes: [AccessChange] = []
  public var warnings: [String] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.enumeration(1, "outcome", &outcome)
    try visitor.string(2, "customer_id", &customerID)
    try visitor.uint64(3, "revision", &revision)
    try visitor.messages(4, "changes", &changes)
    try visitor.strings(5, "warnings", &warnings)
  }
}

/// One answer of CheckAccess that a recording changed.
public struct AccessChange: Message {
  public var customerID = ""
  public var entitlement = ""
  /// The answer after the recording.
  public var allowed = false
  /// The reason after the recording.
  public var reason = Reason()

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "entitlement", &entitlement)
    try visitor.bool(3, "allowed", &allowed)
    try visitor.enumeration(4, "reason", &reason)
  }
}
