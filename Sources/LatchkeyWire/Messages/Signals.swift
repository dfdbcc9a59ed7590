import Protobuf

/// The renewal state of a subscription that Apple signed.
public struct RenewalInfo: Message {
  /// Absent: that of the transaction it came with.
  public var originalTransactionID = ""
  public var signedDateMilliseconds: Int64 = 0
  public var gracePeriodExpiresDateMilliseconds: Int64?
  public var isInBillingRetryPeriod = false
  public var autoRenewProductID = ""
  /// Whether it will renew: 1 it will, 0 it won't.
  public var autoRenewStatus: Int32?
  /// Apple's numbers, 1 to 5.
  public var expirationIntent: Int32?
  public var environment = Environment()
  public var rawEnvironment = ""
  public var bundleID = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "original_transaction_id", &originalTransactionID)
    try visitor.int64(2, "signed_date_ms", &signedDateMilliseconds)
    try visitor.int64(3, "grace_period_expires_date_ms", &gracePeriodExpiresDateMilliseconds)
    try visitor.bool(4, "is_in_billing_retry_period", &isInBillingRetryPeriod)
    try visitor.string(5, "auto_renew_product_id", &autoRenewProductID)
    try visitor.int32(6, "auto_renew_status", &autoRenewStatus)
    try visitor.int32(7, "expiration_intent", &expirationIntent)
    try visitor.enumeration(8, "environment", &environment)
    try visitor.string(9, "raw_environment", &rawEnvironment)
    try visitor.string(10, "bundle_id", &bundleID)
  }
}

/// What a server notification says beside the transaction that it carries.
public struct Notification: Message {
  /// Apple's word, such as REFUND.
  public var type = ""
  public var subtype = ""
  public var uuid = ""
  public var signedDateMilliseconds: Int64 = 0
  /// Stands in where the transaction names no environment.
  public var environment = Environment()
  public var rawEnvironment = ""
  /// Stands in where the transaction names no bundle.
  public var bundleID = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "type", &type)
    try visitor.string(2, "subtype", &subtype)
    try visitor.string(3, "uuid", &uuid)
    try visitor.int64(4, "signed_date_ms", &signedDateMilliseconds)
    try visitor.enumeration(5, "environment", &environment)
    try visitor.string(6, "raw_environment", &rawEnvironment)
    try visitor.string(7, "bundle_id", &bundleID)
  }
}
