import Protobuf

/// Asks to hear of every change of an answer.
public struct WatchChangesRequest: Message {
  /// Whose; empty: everyone's.
  public var customerIDs: [String] = []
  /// Of which entitlements; empty: of all.
  public var entitlements: [String] = []
  /// After which position; absent: from now on.
  public var from: WatchPosition?
  /// Tells the present answers first; not with ``from``.
  public var snapshotFirst = false

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.strings(1, "customer_ids", &customerIDs)
    try visitor.strings(2, "entitlements", &entitlements)
    try visitor.message(3, "from", &from)
    try visitor.bool(4, "snapshot_first", &snapshotFirst)
  }
}

/// A point on the way that all answers go.
public struct WatchPosition: Message {
  public var revision: UInt64 = 0
  public var timeMilliseconds: Int64 = 0

  public init() {}

  /// Makes a position.
  public init(revision: UInt64, timeMilliseconds: Int64) {
    self.revision = revision
    self.timeMilliseconds = timeMilliseconds
  }

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.int64(2, "time_ms", &timeMilliseconds)
  }
}

/// One message of the stream that a watch answers.
public struct WatchEvent: Message {
  public var position: WatchPosition?
  public var change: WatchedChange?
  /// Everything up to ``position`` was sent: a watch can be resumed from there.
  public var checkpoint = false
  /// The present answers were all sent.
  public var snapshotEnd = false

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "position", &position)
    try visitor.message(2, "change", &change)
    try visitor.bool(3, "checkpoint", &checkpoint)
    try visitor.bool(4, "snapshot_end", &snapshotEnd)
  }
}

/// What CheckAccess answers from a position on.
public struct WatchedChange: Message {
  public var customerID = ""
  public var entitlement = ""
  public var allowed = false
  public var reason = Reason()
  /// When access ends if nothing else happens; absent where it never ends.
  public var validUntilMilliseconds: Int64?
  public var ownership = Ownership()

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "entitlement", &entitlement)
    try visitor.bool(3, "allowed", &allowed)
    try visitor.enumeration(4, "reason", &reason)
    try visitor.int64(5, "valid_until_ms", &validUntilMilliseconds)
    try visitor.enumeration(6, "ownership", &ownership)
  }
}
