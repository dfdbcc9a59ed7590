import Protobuf

/// Asks what was served on payments that were revoked in a window of time.
public struct GetLeakReportRequest: Message {
  public var sinceMilliseconds: Int64 = 0
  public var untilMilliseconds: Int64 = 0
  /// Absent: every product.
  public var productID = ""
  /// What one check costs, in millionths of any unit of money; 0: no costs are told.
  public var unitCostMicros: Int64 = 0
  /// How many revocations are listed; 0: 100; at most 1,000.
  public var limit: UInt32 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "since_ms", &sinceMilliseconds)
    try visitor.int64(2, "until_ms", &untilMilliseconds)
    try visitor.string(3, "product_id", &productID)
    try visitor.int64(4, "unit_cost_micros", &unitCostMicros)
    try visitor.uint32(5, "limit", &limit)
  }
}

/// What was served on payments that were revoked. The window holds revocations by their date; the rest is as of now.
public struct GetLeakReportResponse: Message {
  /// How many lie in the window.
  public var revocations: Int64 = 0
  /// The checks that were allowed on these payments.
  public var served: CheckCount?
  /// Those of them between a revocation and its recording.
  public var late: CheckCount?
  /// Absent without a unit cost.
  public var servedCostMicros: Int64?
  public var lateCostMicros: Int64?
  /// The costliest first.
  public var leaks: [Leak] = []
  /// Shared transactions that grant on a refunded purchase alone: there must be none.
  public var stillActive: [String] = []
  /// 100 are listed at most.
  public var stillActiveCount: Int64 = 0
  /// Purchases that more than six people share.
  public var crowded: [CrowdedPurchase] = []
  /// 100 are listed at most.
  public var crowdedCount: Int64 = 0
  public var unclaimedByAge: [AgeClass] = []
  /// Where the window holds nothing: that in words.
  public var sentence = ""
  public var revision: UInt64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "revocations", &revocations)
    try visitor.message(2, "served", &served)
    try visitor.message(3, "late", &late)
    try visitor.int64(4, "served_cost_micros", &servedCostMicros)
    try visitor.int64(5, "late_cost_micros", &lateCostMicros)
    try visitor.messages(6, "leaks", &leaks)
    try visitor.strings(7, "still_active", &stillActive)
    try visitor.int64(8, "still_active_count", &stillActiveCount)
    try visitor.messages(9, "crowded", &crowded)
    try visitor.int64(10, "crowded_count", &crowdedCount)
    try visitor.messages(11, "unclaimed_by_age", &unclaimedByAge)
    try visitor.string(12, "sentence", &sentence)
    try visitor.uint64(13, "revision", &revision)
  }
}

/// One revocation, with what was served on its payment. A copy that a refund on record cut belongs to that refund.
public struct Leak: Message {
  public var transactionID = ""
  public var productID = ""
  public var kind = RefundClass()
  public var revokedMilliseconds: Int64 = 0
  /// When the revocation was first recorded; 0: not known.
  public var recordedMilliseconds: Int64 = 0
  /// Who were served on this one payment.
  public var people: Int64 = 0
  public var served: CheckCount?
  public var late: CheckCount?
  /// Absent without a unit cost.
  public var servedCostMicros: Int64?
  public var lateCostMicros: Int64?

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "transaction_id", &transactionID)
    try visitor.string(2, "product_id", &productID)
    try visitor.enumeration(3, "kind", &kind)
    try visitor.int64(4, "revoked_ms", &revokedMilliseconds)
    try visitor.int64(5, "recorded_ms", &recordedMilliseconds)
    try visitor.int64(6, "people", &people)
    try visitor.message(7, "served", &served)
    try visitor.message(8, "late", &late)
    try visitor.int64(9, "served_cost_micros", &servedCostMicros)
    try visitor.int64(10, "late_cost_micros", &lateCostMicros)
  }
}

/// Allowed checks, as far as they were counted.
public struct CheckCount: Message {
  public var checks: Int64 = 0
  /// There were at most so many.
  public var upperBound = false

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "checks", &checks)
    try visitor.bool(2, "upper_bound", &upperBound)
  }
}

/// A purchase that more people share than a family has.
public struct CrowdedPurchase: Message {
  public var originalTransactionID = ""
  public var people: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "original_transaction_id", &originalTransactionID)
    try visitor.int64(2, "people", &people)
  }
}

/// What a revocation counts as.
public struct RefundClass: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let unspecified = RefundClass(rawValue: 0)
  public static let refund = RefundClass(rawValue: 1)
  public static let sharedRefund = RefundClass(rawValue: 2)
  public static let familyDeparture = RefundClass(rawValue: 3)

  public static let names: [(value: RefundClass, name: String)] = [
    (.unspecified, "UNSPECIFIED"),
    (.refund, "REFUND"),
    (.sharedRefund, "SHARED_REFUND"),
    (.familyDeparture, "FAMILY_DEPARTURE"),
  ]
}
