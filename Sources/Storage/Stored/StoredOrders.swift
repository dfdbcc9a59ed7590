import Entitlements
import Protobuf

// What operators ordered about customers, in the messages of schema/storage.proto.

/// An order to forget a customer.
struct StoredErasure: Message {
  var customerID = ""
  var by = ""
  var note = ""
  var atMilliseconds: Int64 = 0

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "by", &by)
    try visitor.string(3, "note", &note)
    try visitor.int64(4, "at_ms", &atMilliseconds)
  }
}

/// An order to give all that one customer holds to another.
struct StoredMove: Message {
  var fromCustomerID = ""
  var toCustomerID = ""
  var by = ""
  var note = ""
  var atMilliseconds: Int64 = 0

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "from_customer_id", &fromCustomerID)
    try visitor.string(2, "to_customer_id", &toCustomerID)
    try visitor.string(3, "by", &by)
    try visitor.string(4, "note", &note)
    try visitor.int64(5, "at_ms", &atMilliseconds)
  }
}

/// What remains of an erased customer.
struct StoredTombstone: Message {
  var erasedAtMilliseconds: Int64 = 0
  var by = ""
  var removed: Int64 = 0
  var anonymous: Int64 = 0
  var kept: Int64 = 0

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "erased_at_ms", &erasedAtMilliseconds)
    try visitor.string(2, "by", &by)
    try visitor.int64(3, "removed", &removed)
    try visitor.int64(4, "anonymous", &anonymous)
    try visitor.int64(5, "kept", &kept)
  }
}

extension StoredErasure {
  init(_ erasure: Erasure) {
    customerID = erasure.customer.text
    (by, note, atMilliseconds) = (erasure.order.by, erasure.order.note, erasure.order.at.milliseconds)
  }
}

extension Erasure {
  init(_ stored: StoredErasure) {
    self.init(
      customer: CustomerID(stored.customerID),
      order: OperatorOrder(by: stored.by, note: stored.note, at: Moment(milliseconds: stored.atMilliseconds)))
  }
}

extension StoredMove {
  init(_ move: CustomerMove) {
    (fromCustomerID, toCustomerID) = (move.from.text, move.to.text)
    (by, note, atMilliseconds) = (move.order.by, move.order.note, move.order.at.milliseconds)
  }
}

extension CustomerMove {
  init(_ stored: StoredMove) {
    self.init(
      from: CustomerID(stored.fromCustomerID), to: CustomerID(stored.toCustomerID),
      order: OperatorOrder(by: stored.by, note: stored.note, at: Moment(milliseconds: stored.atMilliseconds)))
  }
}

extension StoredTombstone {
  init(_ tombstone: Tombstone) {
    (erasedAtMilliseconds, by) = (tombstone.erasedAt.milliseconds, tombstone.by)
    (removed, anonymous, kept) = (Int64(tombstone.removed), Int64(tombstone.anonymous), Int64(tombstone.kept))
  }
}

extension Tombstone {
  init(_ stored: StoredTombstone) {
    self.init(erasedAt: Moment(milliseconds: stored.erasedAtMilliseconds), by: stored.by)
    (removed, anonymous, kept) = (Int(stored.removed), Int(stored.anonymous), Int(stored.kept))
  }
}
