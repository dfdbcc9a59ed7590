import Protobuf

/// Asks for the refunds of a window of time. It begins at `since` and ends before `until`; 0 leaves that side open.
public struct GetRefundReportRequest: Message {
  public var sinceMilliseconds: Int64 = 0
  public var untilMilliseconds: Int64 = 0
  /// Absent: every product.
  public var productID = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "since_ms", &sinceMilliseconds)
    try visitor.int64(2, "until_ms", &untilMilliseconds)
    try visitor.string(3, "product_id", &productID)
  }
}

/// The refunds of a window, whole and by what they were.
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
  /// All that was recorded up to it is counted.
  public var revision: UInt64 = 0
  public var refundsInPart: Int64 = 0
  /// Refunds with reason 1.
  public var developerIssues: Int64 = 0
  /// Who lost access by these refunds; a person counts once for each.
  public var people: Int64 = 0
  /// The most refunds first.
  public var products: [RefundLine] = []
  /// Of UTC, in order.
  public var days: [RefundLine] = []
  public var reasons: [RefundLine] = []
  public var types: [RefundLine] = []
  public var refundsByPeople: [RefundsByPeople] = []
  /// Of refunds and shared refunds.
  public var lag: Lag?
  public var unclaimedByAge: [AgeClass] = []
  public var clusters: [RefundCluster] = []
  /// Of the four lists, which have 1,000 lines each at most: the least products, the oldest days.
  public var linesLeftOut: Int64 = 0
  /// Where the window holds nothing: that in words.
  public var sentence = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "refunds", &refunds)
    try visitor.int64(2, "shared_refunds", &sharedRefunds)
    try visitor.int64(3, "family_departures", &familyDepartures)
    try visitor.int64(4, "bundle_upgrades", &bundleUpgrades)
    try visitor.int64(5, "reversals", &reversals)
    try visitor.int64(6, "unclaimed", &unclaimed)
    try visitor.messages(7, "amounts", &amounts)
    try visitor.uint64(8, "revision", &revision)
    try visitor.int64(9, "refunds_in_part", &refundsInPart)
    try visitor.int64(10, "developer_issues", &developerIssues)
    try visitor.int64(11, "people", &people)
    try visitor.messages(12, "products", &products)
    try visitor.messages(13, "days", &days)
    try visitor.messages(14, "reasons", &reasons)
    try visitor.messages(15, "types", &types)
    try visitor.messages(16, "refunds_by_people", &refundsByPeople)
    try visitor.message(17, "lag", &lag)
    try visitor.messages(18, "unclaimed_by_age", &unclaimedByAge)
    try visitor.messages(19, "clusters", &clusters)
    try visitor.int64(20, "lines_left_out", &linesLeftOut)
    try visitor.string(21, "sentence", &sentence)
  }
}

/// One line of a refund report: a product, a day, or a reason or type of Apple's, empty where Apple gave none.
public struct RefundLine: Message {
  public var key = ""
  public var refunds: Int64 = 0
  public var refundsInPart: Int64 = 0
  public var developerIssues: Int64 = 0
  public var sharedRefunds: Int64 = 0
  public var familyDepartures: Int64 = 0
  public var bundleUpgrades: Int64 = 0
  public var reversals: Int64 = 0
  public var unclaimed: Int64 = 0
  public var people: Int64 = 0
  public var amounts: [CurrencyAmount] = []

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "key", &key)
    try visitor.int64(2, "refunds", &refunds)
    try visitor.int64(3, "refunds_in_part", &refundsInPart)
    try visitor.int64(4, "developer_issues", &developerIssues)
    try visitor.int64(5, "shared_refunds", &sharedRefunds)
    try visitor.int64(6, "family_departures", &familyDepartures)
    try visitor.int64(7, "bundle_upgrades", &bundleUpgrades)
    try visitor.int64(8, "reversals", &reversals)
    try visitor.int64(9, "unclaimed", &unclaimed)
    try visitor.int64(10, "people", &people)
    try visitor.messages(11, "amounts", &amounts)
  }
}

/// So many refunds ended the access of so many people each.
public struct RefundsByPeople: Message {
  public var people: Int64 = 0
  public var refunds: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "people", &people)
    try visitor.int64(2, "refunds", &refunds)
  }
}

/// From the date of a revocation until it was first recorded.
public struct Lag: Message {
  public var count: Int64 = 0
  public var medianMilliseconds: Int64 = 0
  public var percentile95Milliseconds: Int64 = 0
  public var longestMilliseconds: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "count", &count)
    try visitor.int64(2, "p50_ms", &medianMilliseconds)
    try visitor.int64(3, "p95_ms", &percentile95Milliseconds)
    try visitor.int64(4, "max_ms", &longestMilliseconds)
  }
}

/// How many are younger than so many days, and no younger than the class before says; 0: any age.
public struct AgeClass: Message {
  public var belowDays: Int64 = 0
  public var count: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "below_days", &belowDays)
    try visitor.int64(2, "count", &count)
  }
}

/// A product whose share of refunds for an issue in the app is far above its own past or above the other products'.
public struct RefundCluster: Message {
  public var productID = ""
  public var window: IssueShare?
  /// Its own refunds before the window.
  public var past: IssueShare?
  /// The other products' in the window.
  public var others: IssueShare?
  public var abovePast = false
  public var aboveOthers = false

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "product_id", &productID)
    try visitor.message(2, "window", &window)
    try visitor.message(3, "past", &past)
    try visitor.message(4, "others", &others)
    try visitor.bool(5, "above_past", &abovePast)
    try visitor.bool(6, "above_others", &aboveOthers)
  }
}

/// How many refunds there were, and how many of them for an issue in the app.
public struct IssueShare: Message {
  public var refunds: Int64 = 0
  public var developerIssues: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.int64(1, "refunds", &refunds)
    try visitor.int64(2, "developer_issues", &developerIssues)
  }
}

/// An amount of money in one currency.
public struct CurrencyAmount: Message {
  public var currency = ""
  public var amountMilliunits: Int64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "currency", &currency)
    try visitor.int64(2, "amount_milliunits", &amountMilliunits)
  }
}
