import Entitlements
import LatchkeyWire
import Protobuf

// What a snapshot keeps beside the state: counts that no journal holds, and on which no decision depends.

/// The allowed checks of one customer.
struct StoredUsage: Message {
  var customerID = ""
  var entitlements: [StoredEntitlementUsage] = []

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.messages(2, "entitlements", &entitlements)
  }
}

/// The allowed checks of one customer and entitlement.
struct StoredEntitlementUsage: Message {
  var entitlement = ""
  var buckets: [StoredBucket] = []

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "entitlement", &entitlement)
    try visitor.messages(2, "buckets", &buckets)
  }
}

/// Allowed checks of one period.
struct StoredBucket: Message {
  var newestHour: Int64 = 0
  var checks: Int64 = 0

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "newest_hour", &newestHour)
    try visitor.int64(2, "checks", &checks)
  }
}

/// The checks that were allowed between a revocation and its recording.
struct StoredLateChecks: Message {
  var environment = LatchkeyWire.Environment()
  var rawEnvironment = ""
  var transactionID = ""
  var checks: Int64 = 0
  var isUpperBound = false

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.enumeration(1, "environment", &environment)
    try visitor.string(2, "raw_environment", &rawEnvironment)
    try visitor.string(3, "transaction_id", &transactionID)
    try visitor.int64(4, "checks", &checks)
    try visitor.bool(5, "is_upper_bound", &isUpperBound)
  }
}

// MARK: - From and to the domain

extension StoredUsage {
  init(_ customer: CustomerID, _ used: [(entitlement: Identifier, usage: Usage)]) {
    customerID = customer.text
    entitlements = used.map { entitlement, usage in
      .with {
        $0.entitlement = entitlement.text
        $0.buckets = usage.buckets.map { bucket in
          .with { ($0.newestHour, $0.checks) = (bucket.newestHour, bucket.checks) }
        }
      }
    }
  }
}

extension StoredUsage {
  /// How many checks it holds.
  var checks: Int64 { entitlements.reduce(0) { sum, used in used.buckets.reduce(sum) { $0 + $1.checks } } }
}

extension StoredEntitlementUsage {
  /// The usage; nil where it has other buckets than this version knows.
  var usage: Usage? {
    guard buckets.count == Usage.periods.count else { return nil }
    return Usage(buckets: buckets.map { Usage.Bucket(newestHour: $0.newestHour, checks: $0.checks) })
  }
}

extension StoredLateChecks {
  init(_ transaction: ScopedID, _ count: Entitlements.CheckCount) {
    (environment, rawEnvironment) = LatchkeyWire.Environment.pair(transaction.environment)
    transactionID = transaction.id.text
    checks = count.checks
    isUpperBound = !count.isExact
  }

  var key: ScopedID {
    ScopedID(Environment(environment, raw: rawEnvironment) ?? .production, Identifier(transactionID))
  }

  var count: Entitlements.CheckCount { Entitlements.CheckCount(checks: checks, isExact: !isUpperBound) }
}
