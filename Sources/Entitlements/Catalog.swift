/// Which entitlements each product grants.
package struct Catalog: Hashable, Sendable {
  package private(set) var products: [Identifier: Product] = [:]
  /// What each of the products grants: made once, so that all who hold one share its list, and lists are mostly compared by where
  /// they stand.
  private var granted: [Identifier: [Identifier]] = [:]

  package init(products: [Identifier: Product] = [:]) {
    for (id, product) in products { self[id] = product }
  }

  /// What the catalog says of a product; nil where it doesn't list it.
  package subscript(id: Identifier) -> Product? {
    get { products[id] }
    set {
      products[id] = newValue
      var seen: Set<Identifier> = []
      granted[id] = newValue.map { ($0.entitlements + [id]).filter { seen.insert($0).inserted } }
    }
  }

  /// What the catalog says of one product.
  package struct Product: Hashable, Sendable {
    /// Stands in where a transaction has no type.
    package var type: ProductType?
    package var entitlements: [Identifier]
    /// Of a non-renewing subscription; nil: it never ends.
    package var accessPeriod: AccessPeriod?

    package init(type: ProductType? = nil, entitlements: [Identifier] = [], accessPeriod: AccessPeriod? = nil) {
      self.type = type
      self.entitlements = entitlements
      self.accessPeriod = accessPeriod
    }
  }

  /// The entitlements that a product grants, each once: those of the catalog, and always one of its own name.
  package func entitlements(ofProduct productID: Identifier) -> [Identifier] { granted[productID] ?? [productID] }

  /// Whether two products grant some entitlement both.
  func grantsSomeOfTheSame(_ one: Identifier, _ other: Identifier) -> Bool {
    if one == other { return true }
    let granted = entitlements(ofProduct: one)
    return entitlements(ofProduct: other).contains { granted.contains($0) }
  }
}
