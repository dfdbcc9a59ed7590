/// Which entitlements each product grants.
package struct Catalog: Hashable, Sendable {
  package var products: [Identifier: Product]

  package init(products: [Identifier: Product] = [:]) { self.products = products }

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

  /// The entitlements that a product grants: those of the catalog, and always one of its own name.
  package func entitlements(ofProduct productID: Identifier) -> [Identifier] {
    guard let listed = products[productID]?.entitlements else { return [productID] }
    return listed.contains(productID) ? listed : listed + [productID]
  }

  /// Whether two products grant some entitlement both.
  func grantsSomeOfTheSame(_ one: Identifier, _ other: Identifier) -> Bool {
    if one == other { return true }
    let granted = entitlements(ofProduct: one)
    return entitlements(ofProduct: other).contains { granted.contains($0) }
  }
}
