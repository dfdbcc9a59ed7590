import Entitlements
import LatchkeyWire
import Protobuf

// Manual grants as the journal and the snapshots hold them, and as the wire tells them.

/// An operator's word in the journal.
struct StoredGranting: Message {
  var customerID = ""
  var entitlement = ""
  var by = ""
  var note = ""
  var recordedAtMilliseconds: Int64 = 0
  var fromMilliseconds: Int64 = 0
  var untilMilliseconds: Int64?
  /// Present: what was given is taken back at this moment.
  var takeBackAtMilliseconds: Int64?

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "entitlement", &entitlement)
    try visitor.string(3, "by", &by)
    try visitor.string(4, "note", &note)
    try visitor.int64(5, "recorded_at_ms", &recordedAtMilliseconds)
    try visitor.int64(6, "from_ms", &fromMilliseconds)
    try visitor.int64(7, "until_ms", &untilMilliseconds)
    try visitor.int64(8, "take_back_at_ms", &takeBackAtMilliseconds)
  }
}

extension StoredGranting {
  init(_ granting: Granting) {
    self.init()
    customerID = granting.customer.text
    entitlement = granting.entitlement.text
    by = granting.by
    note = granting.note
    recordedAtMilliseconds = granting.recordedAt.milliseconds
    switch granting.act {
    case .give(let from, let until):
      fromMilliseconds = from.milliseconds
      untilMilliseconds = until?.milliseconds
    case .takeBack(let moment):
      takeBackAtMilliseconds = moment.milliseconds
    }
  }
}

extension Granting {
  init(_ stored: StoredGranting) {
    let until = stored.untilMilliseconds.map { Moment(milliseconds: $0) }
    let takeBack = stored.takeBackAtMilliseconds.map { Act.takeBack(at: Moment(milliseconds: $0)) }
    self.init(
      customer: CustomerID(stored.customerID), entitlement: Identifier(stored.entitlement), by: stored.by, note: stored.note,
      recordedAt: Moment(milliseconds: stored.recordedAtMilliseconds),
      act: takeBack ?? .give(from: Moment(milliseconds: stored.fromMilliseconds), until: until))
  }
}

/// All grants of one customer in a snapshot.
struct StoredCustomerGrants: Message {
  var customerID = ""
  var grants: [LatchkeyWire.ManualGrant] = []

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.messages(2, "grants", &grants)
  }
}

extension LatchkeyWire.ManualGrant {
  /// The message of a grant.
  package init(_ grant: Entitlements.ManualGrant) {
    self.init()
    entitlement = grant.entitlement.text
    fromMilliseconds = grant.from.milliseconds
    untilMilliseconds = grant.until?.milliseconds
    by = grant.by
    note = grant.note
    recordedAtMilliseconds = grant.recordedAt.milliseconds
    takenBackBy = grant.takenBack?.by ?? ""
    takenBackNote = grant.takenBack?.note ?? ""
    takenBackAtMilliseconds = grant.takenBack?.at.milliseconds
  }
}

extension Entitlements.ManualGrant {
  /// Takes a grant from its message.
  init(_ message: LatchkeyWire.ManualGrant) {
    let takenBack = message.takenBackAtMilliseconds.map { at in
      TakingBack(at: Moment(milliseconds: at), by: message.takenBackBy, note: message.takenBackNote)
    }
    self.init(
      entitlement: Identifier(message.entitlement), from: Moment(milliseconds: message.fromMilliseconds),
      until: message.untilMilliseconds.map { Moment(milliseconds: $0) }, by: message.by, note: message.note,
      recordedAt: Moment(milliseconds: message.recordedAtMilliseconds), takenBack: takenBack)
  }
}
