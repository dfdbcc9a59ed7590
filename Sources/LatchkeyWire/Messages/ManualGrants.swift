import Protobuf

/// Gives an entitlement to a customer by hand, or takes back what operators gave.
public struct GrantAccessRequest: Message {
  public var customerID = ""
  public var entitlement = ""
  /// Who decided it.
  public var by = ""
  /// Why.
  public var note = ""
  /// When it begins; 0: now.
  public var fromMilliseconds: Int64 = 0
  /// When it ends; absent: never.
  public var untilMilliseconds: Int64?
  /// Ends every grant of the entitlement that would end after ``atMilliseconds``, at that moment, instead of giving one.
  public var takeBack = false
  /// When what is taken back ends; 0: now.
  public var atMilliseconds: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "entitlement", &entitlement)
    try visitor.string(3, "by", &by)
    try visitor.string(4, "note", &note)
    try visitor.int64(5, "from_ms", &fromMilliseconds)
    try visitor.int64(6, "until_ms", &untilMilliseconds)
    try visitor.bool(7, "take_back", &takeBack)
    try visitor.int64(8, "at_ms", &atMilliseconds)
  }
}

/// Says what a grant or a taking back changed, once it is durable.
public struct GrantAccessResponse: Message {
  public var revision: UInt64 = 0
  /// What the customer gained or lost at the moment of recording.
  public var changes: [AccessChange] = []
  /// The customer's grants of the entitlement, as they are now, in the order of recording.
  public var grants: [ManualGrant] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.messages(2, "changes", &changes)
    try visitor.messages(3, "grants", &grants)
  }
}

/// An entitlement that an operator gave a customer.
public struct ManualGrant: Message {
  public var entitlement = ""
  public var fromMilliseconds: Int64 = 0
  /// Absent: never-ending.
  public var untilMilliseconds: Int64?
  public var by = ""
  public var note = ""
  public var recordedAtMilliseconds: Int64 = 0
  public var takenBackBy = ""
  public var takenBackNote = ""
  /// It grants nothing from this moment on; absent: it wasn't taken back.
  public var takenBackAtMilliseconds: Int64?

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "entitlement", &entitlement)
    try visitor.int64(2, "from_ms", &fromMilliseconds)
    try visitor.int64(3, "until_ms", &untilMilliseconds)
    try visitor.string(4, "by", &by)
    try visitor.string(5, "note", &note)
    try visitor.int64(6, "recorded_at_ms", &recordedAtMilliseconds)
    try visitor.string(7, "taken_back_by", &takenBackBy)
    try visitor.string(8, "taken_back_note", &takenBackNote)
    try visitor.int64(9, "taken_back_at_ms", &takenBackAtMilliseconds)
  }
}

/// One manual grant of the customer, and how it stands.
public struct GrantExplanation: Message {
  public var grant: ManualGrant?
  public var grants = false
  public var reason = Reason()
  /// Since when it grants, or is over; absent: it hasn't begun.
  public var sinceMilliseconds: Int64?
  /// When that ends, if nothing else happens; absent: never.
  public var untilMilliseconds: Int64?
  /// The same in words.
  public var sentence = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "grant", &grant)
    try visitor.bool(2, "grants", &grants)
    try visitor.enumeration(3, "reason", &reason)
    try visitor.int64(4, "since_ms", &sinceMilliseconds)
    try visitor.int64(5, "until_ms", &untilMilliseconds)
    try visitor.string(6, "sentence", &sentence)
  }
}
