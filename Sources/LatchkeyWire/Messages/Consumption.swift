import Protobuf

/// Asks what is known for the answer to Apple's CONSUMPTION_REQUEST about a purchase.
public struct GetConsumptionRequest: Message {
  public var transactionID = ""
  /// Absent: the server's own.
  public var environment = Environment()
  /// Whose purchase it has to be; absent: that of the first holder.
  public var customerID = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "transaction_id", &transactionID)
    try visitor.enumeration(2, "environment", &environment)
    try visitor.string(3, "customer_id", &customerID)
  }
}

/// What is known, in the terms of Apple's ConsumptionRequest and ConsumptionRequestV1.
public struct GetConsumptionResponse: Message {
  public var customerID = ""
  public var transactionID = ""
  public var productID = ""
  /// DELIVERED or UNDELIVERED_OTHER.
  public var deliveryStatus = ""
  /// 100000 is all of its period; 0 while it wasn't used.
  public var consumptionPercentage: Int64?
  /// Apple's number.
  public var consumptionStatus: Int32 = 0
  /// Apple's number, from the first purchase on record.
  public var accountTenure: Int32 = 0
  /// Apple's number.
  public var lifetimeDollarsPurchased: Int32?
  /// Apple's number.
  public var lifetimeDollarsRefunded: Int32?
  public var appAccountToken = ""
  /// Allowed since the purchase.
  public var checks: CheckCount?
  /// The begin of the hour of the last one; 0: never.
  public var lastUsedMilliseconds: Int64 = 0
  /// 0: not known.
  public var customerSinceMilliseconds: Int64 = 0
  /// By this customer, ever.
  public var purchased: [CurrencyAmount] = []
  public var refunded: [CurrencyAmount] = []
  public var refunds: Int64 = 0
  /// Apple's fields that aren't answered here.
  public var leftOut: [LeftOut] = []
  public var revision: UInt64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "customer_id", &customerID)
    try visitor.string(2, "transaction_id", &transactionID)
    try visitor.string(3, "product_id", &productID)
    try visitor.string(4, "delivery_status", &deliveryStatus)
    try visitor.int64(5, "consumption_percentage", &consumptionPercentage)
    try visitor.int32(6, "consumption_status", &consumptionStatus)
    try visitor.int32(7, "account_tenure", &accountTenure)
    try visitor.int32(8, "lifetime_dollars_purchased", &lifetimeDollarsPurchased)
    try visitor.int32(9, "lifetime_dollars_refunded", &lifetimeDollarsRefunded)
    try visitor.string(10, "app_account_token", &appAccountToken)
    try visitor.message(11, "checks", &checks)
    try visitor.int64(12, "last_used_ms", &lastUsedMilliseconds)
    try visitor.int64(13, "customer_since_ms", &customerSinceMilliseconds)
    try visitor.messages(14, "purchased", &purchased)
    try visitor.messages(15, "refunded", &refunded)
    try visitor.int64(16, "refunds", &refunds)
    try visitor.messages(17, "left_out", &leftOut)
    try visitor.uint64(18, "revision", &revision)
  }
}

/// A field of Apple's that can't be answered here, and why.
public struct LeftOut: Message {
  public var field = ""
  public var reason = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "field", &field)
    try visitor.string(2, "reason", &reason)
  }
}
