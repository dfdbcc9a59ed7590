import Protobuf

/// One version of a transaction that Apple signed.
public struct Transaction: Message {
  public var transactionID = ""
  /// Absent: same as ``transactionID``.
  public var originalTransactionID = ""
  public var productID = ""
  public var type = ProductType()
  /// Absent: PURCHASED.
  public var ownership = Ownership()
  /// Absent: the server's own.
  public var environment = Environment()
  public var purchaseDateMilliseconds: Int64 = 0
  public var expiresDateMilliseconds: Int64?
  public var revocationDateMilliseconds: Int64?
  public var signedDateMilliseconds: Int64 = 0
  public var isUpgraded = false
  public var revocationReason: RevocationReason?
  public var revocationType = RevocationType()
  /// How much was taken back; 100000 is 100 %.
  public var revocationPercentage: Int32?
  /// The total for the quantity; 1990 is 1.99.
  public var priceMilliunits: Int64?
  /// The currency of the price, ISO 4217.
  public var currency = ""
  public var appTransactionID = ""
  public var appAccountToken = ""
  public var bundleID = ""
  /// Apple's word, with ``ProductType/other`` in ``type``.
  public var rawType = ""
  /// Apple's word, with ``Ownership/other`` in ``ownership``.
  public var rawOwnership = ""
  /// Apple's word, with ``Environment/other`` in ``environment``.
  public var rawEnvironment = ""
  /// Apple's word, with ``RevocationReason/unnamed`` in ``revocationReason``.
  public var rawRevocationReason = ""
  /// Apple's word, with ``RevocationType/other`` in ``revocationType``.
  public var rawRevocationType = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "transaction_id", &transactionID)
    try visitor.string(2, "original_transaction_id", &originalTransactionID)
    try visitor.string(3, "product_id", &productID)
    try visitor.enumeration(4, "type", &type)
    try visitor.enumeration(5, "ownership", &ownership)
    try visitor.enumeration(6, "environment", &environment)
    try visitor.int64(7, "purchase_date_ms", &purchaseDateMilliseconds)
    try visitor.int64(8, "expires_date_ms", &expiresDateMilliseconds)
    try visitor.int64(9, "revocation_date_ms", &revocationDateMilliseconds)
    try visitor.int64(10, "signed_date_ms", &signedDateMilliseconds)
    try visitor.bool(11, "is_upgraded", &isUpgraded)
    try visitor.enumeration(12, "revocation_reason", &revocationReason)
    try visitor.enumeration(13, "revocation_type", &revocationType)
    try visitor.int32(14, "revocation_percentage", &revocationPercentage)
    try visitor.int64(15, "price_milliunits", &priceMilliunits)
    try visitor.string(16, "currency", &currency)
    try visitor.string(17, "app_transaction_id", &appTransactionID)
    try visitor.string(18, "app_account_token", &appAccountToken)
    try visitor.string(19, "bundle_id", &bundleID)
    try visitor.string(20, "raw_type", &rawType)
    try visitor.string(21, "raw_ownership", &rawOwnership)
    try visitor.string(22, "raw_environment", &rawEnvironment)
    try visitor.string(23, "raw_revocation_reason", &rawRevocationReason)
    try visitor.string(24, "raw_revocation_type", &rawRevocationType)
  }
}
