import Protobuf

/// Asks what another catalog would give to customers and take from them.
public struct CompareCatalogRequest: Message {
  /// The other catalog as the JSON of a catalog file.
  public var catalogJSON = ""
  /// Compares the server's own file, as a reload would take it.
  public var useFile = false

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "catalog_json", &catalogJSON)
    try visitor.bool(2, "use_file", &useFile)
  }
}

/// Says what another catalog would change now.
public struct CompareCatalogResponse: Message {
  /// Those with a difference, at most 1,000: the most losers first, then the most who gain, then by name.
  public var products: [CatalogEffect] = []
  /// The same by entitlement.
  public var entitlements: [CatalogEffect] = []
  /// How many customers were compared.
  public var customers: UInt64 = 0
  public var customersGaining: UInt64 = 0
  public var customersLosing: UInt64 = 0
  /// The share of customers who would lose something; 1,000,000 is all of them.
  public var losingPartsPerMillion: UInt32 = 0
  /// The share that a reload takes without force.
  public var limitPartsPerMillion: UInt32 = 0
  /// Whether a reload with this catalog needs force.
  public var wouldBeRefused = false
  /// At most 20 customers who would gain something.
  public var gainingExamples: [String] = []
  /// At most 20 customers who would lose something.
  public var losingExamples: [String] = []
  public var revision: UInt64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "products", &products)
    try visitor.messages(2, "entitlements", &entitlements)
    try visitor.uint64(3, "customers", &customers)
    try visitor.uint64(4, "customers_gaining", &customersGaining)
    try visitor.uint64(5, "customers_losing", &customersLosing)
    try visitor.uint32(6, "losing_parts_per_million", &losingPartsPerMillion)
    try visitor.uint32(7, "limit_parts_per_million", &limitPartsPerMillion)
    try visitor.bool(8, "would_be_refused", &wouldBeRefused)
    try visitor.strings(9, "gaining_examples", &gainingExamples)
    try visitor.strings(10, "losing_examples", &losingExamples)
    try visitor.uint64(11, "revision", &revision)
  }
}

/// How many customers gain or lose something by one product or entitlement.
public struct CatalogEffect: Message {
  public var name = ""
  public var customersGaining: UInt64 = 0
  public var customersLosing: UInt64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "name", &name)
    try visitor.uint64(2, "customers_gaining", &customersGaining)
    try visitor.uint64(3, "customers_losing", &customersLosing)
  }
}
