import LatchkeyWire
import Protobuf

// The messages of schema/storage.proto. What Apple signs is kept in the very messages of the wire.

/// One input of the journal. Exactly one field is set.
package struct StoredInput: Message {
  var recording: StoredRecording?
  var settings: StoredSettings?
  var catalog: StoredCatalog?
  var granting: StoredGranting?
  var erasure: StoredErasure?
  var move: StoredMove?
  var restoration: StoredEntry?
  /// When it was journaled, which is the time of its position for those who watch. No state depends on it.
  var recordedAtMilliseconds: Int64 = 0

  /// How many bytes the time takes at most: a tag and the longest varint.
  static let timeByteLimit = 11

  package init() {}

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "recording", &recording)
    try visitor.message(2, "settings", &settings)
    try visitor.message(3, "catalog", &catalog)
    try visitor.message(4, "granting", &granting)
    try visitor.message(8, "erasure", &erasure)
    try visitor.message(9, "move", &move)
    try visitor.int64(10, "recorded_at_ms", &recordedAtMilliseconds)
    try visitor.message(11, "restoration", &restoration)
  }
}

extension StoredInput {
  /// Reads a record of the journal, whose limit on bytes is the only one.
  package init(record bytes: RawSpan) throws(MalformedMessage) { try self.init(decoding: bytes, elementLimit: .max) }

  /// The record that the journal is to hold.
  package var record: [UInt8] { encoded() }
}

/// A recording in normal form.
struct StoredRecording: Message {
  var customerID = ""
  var rows: [StoredRow] = []
  var renewalInfos: [StoredRenewal] = []
  var sharedFrom: [String] = []
  var source = LatchkeyWire.Source()
  var receivedAtMilliseconds: Int64 = 0
  var notification: LatchkeyWire.Notification?

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.messages(2, "rows", &rows)
    try visitor.messages(3, "renewal_infos", &renewalInfos)
    try visitor.strings(4, "shared_from", &sharedFrom)
    try visitor.enumeration(5, "source", &source)
    try visitor.int64(6, "received_at_ms", &receivedAtMilliseconds)
    try visitor.message(7, "notification", &notification)
  }
}

/// One version of a transaction, with what came around it.
struct StoredRow: Message {
  var transaction: LatchkeyWire.Transaction?
  var revokeMarkMilliseconds: Int64?
  var otherFields = ""

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "transaction", &transaction)
    try visitor.int64(2, "revoke_mark_ms", &revokeMarkMilliseconds)
    try visitor.string(3, "other_fields", &otherFields)
  }
}

/// A renewal info, with the fields that no rule uses.
struct StoredRenewal: Message {
  var info: LatchkeyWire.RenewalInfo?
  var otherFields = ""

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "info", &info)
    try visitor.string(2, "other_fields", &otherFields)
  }
}

/// The settings on which decisions depend.
struct StoredSettings: Message {
  var environment = LatchkeyWire.Environment()
  var rawEnvironment = ""
  var transferPolicy = ""
  var customerFromAppAccountToken = false
  var clockSkewMilliseconds: Int64 = 0
  var bundleID = ""
  var sandboxCustomers: [String] = []

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.enumeration(1, "environment", &environment)
    try visitor.string(2, "raw_environment", &rawEnvironment)
    try visitor.string(3, "transfer_policy", &transferPolicy)
    try visitor.bool(4, "customer_from_app_account_token", &customerFromAppAccountToken)
    try visitor.int64(5, "clock_skew_ms", &clockSkewMilliseconds)
    try visitor.string(6, "bundle_id", &bundleID)
    try visitor.strings(7, "sandbox_customers", &sandboxCustomers)
  }
}

/// The catalog, by product id.
struct StoredCatalog: Message {
  var products: [StoredProduct] = []

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "products", &products)
  }
}

/// One product of the catalog.
struct StoredProduct: Message {
  var productID = ""
  var type = LatchkeyWire.ProductType()
  var rawType = ""
  var entitlements: [String] = []
  var accessPeriodMonths: Int64 = 0
  var accessPeriodDays: Int64 = 0

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "product_id", &productID)
    try visitor.enumeration(2, "type", &type)
    try visitor.string(3, "raw_type", &rawType)
    try visitor.strings(4, "entitlements", &entitlements)
    try visitor.int64(5, "access_period_months", &accessPeriodMonths)
    try visitor.int64(6, "access_period_days", &accessPeriodDays)
  }
}

/// One block of a snapshot.
struct StoredBlock: Message {
  var entries: [StoredEntry] = []

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "entries", &entries)
  }
}

/// One piece of the state. Exactly one field is set, and with a record its number.
package struct StoredEntry: Message {
  var settings: StoredSettings?
  var catalog: StoredCatalog?
  var record: StoredRecord?
  var renewalInfo: LatchkeyWire.RenewalInfo?
  var customerGrants: StoredCustomerGrants?
  var tombstone: StoredTombstone?
  var usage: StoredUsage?
  var lateChecks: StoredLateChecks?
  /// Of a record in the ledger of which the snapshot is, one more than it: records come in no order. 0 where it isn't said: behind
  /// the record before.
  var recordNumberPlusOne: UInt64 = 0
  /// Of a dump alone: which of the tombstones, or of the records without ids, it is.
  var place: Int64?

  package init() {}

  /// Whether it is what is kept of a transaction.
  package var isRecord: Bool { record != nil }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "settings", &settings)
    try visitor.message(2, "catalog", &catalog)
    try visitor.message(3, "record", &record)
    try visitor.message(4, "renewal_info", &renewalInfo)
    try visitor.message(5, "customer_grants", &customerGrants)
    try visitor.message(8, "tombstone", &tombstone)
    try visitor.message(20, "usage", &usage)
    try visitor.message(21, "late_checks", &lateChecks)
    try visitor.uint64(22, "record_number_plus_one", &recordNumberPlusOne)
    try visitor.int64(30, "place", &place)
  }
}

/// What is kept of one transaction.
struct StoredRecord: Message {
  var transaction: LatchkeyWire.Transaction?
  var holders: [String] = []
  var links: [String] = []
  var marks: [StoredMark] = []
  var earliestRevokedVersionMilliseconds: Int64?
  var firstRecordedAtMilliseconds: Int64 = 0
  var recordedAtMilliseconds: Int64 = 0
  var source = LatchkeyWire.Source()
  var revocationRecordedAtMilliseconds: Int64?

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "transaction", &transaction)
    try visitor.strings(2, "holders", &holders)
    try visitor.strings(3, "links", &links)
    try visitor.messages(4, "marks", &marks)
    try visitor.int64(5, "earliest_revoked_version_ms", &earliestRevokedVersionMilliseconds)
    try visitor.int64(6, "first_recorded_at_ms", &firstRecordedAtMilliseconds)
    try visitor.int64(7, "recorded_at_ms", &recordedAtMilliseconds)
    try visitor.enumeration(8, "source", &source)
    try visitor.int64(9, "revocation_recorded_at_ms", &revocationRecordedAtMilliseconds)
  }
}

/// A REVOKE that came without a revocation date.
struct StoredMark: Message {
  var dateMilliseconds: Int64 = 0
  var lastsThroughMilliseconds: Int64 = 0

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "date_ms", &dateMilliseconds)
    try visitor.int64(2, "lasts_through_ms", &lastsThroughMilliseconds)
  }
}
