import Protobuf

/// Asks for the totals of refunds.
public struct GetRefundReportRequest: Message {
  public init() {}

  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {}
}

/// The totals of refunds since the store began.
public struct GetRefundReportResponse: Message {
  public var refunds: Int64 = 0
  public var sharedRefunds: Int64 = 0
  public var familyDepartures: Int64 = 0
  public var bundleUpgrades: Int64 = 0
  public var reversals: Int64 = 0
  /// Transactions that nobody holds.
  public var unclaimed: Int64 = 0
  /// Of refunds with a price, by currency.
  public var amounts: [CurrencyAmount] = []
  public var revision: UInt64 = 0

  public init() {}

  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "refunds", &refunds)
    try visitor.int64(2, "shared_refunds", &sharedRefunds)
    try visitor.int64(3, "family_departures", &familyDepartures)
    try visitor.int64(4, "bundle_upgrades", &bundleUpgrades)
    try visitor.int64(5, "reversals", &reversals)
    try visitor.int64(6, "unclaimed", &unclaimed)
    try visitor.messages(7, "amounts", &amounts)
    try visitor.uint64(8, "revision", &revision)
  }
}

/// An amount of money in one currency.
public struct CurrencyAmount: Message {
  public var currency = ""
  public var amountMilliunits: Int64 = 0

  public init() {}

  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "currency", &currency)
    try visitor.int64(2, "amount_milliunits", &amountMilliunits)
  }
}
