/// Which entitlements each product grants.
package struct Catalog: Sendable {
  private(set) var edition = Edition()
  package private(set) var products: [Identifier: Product] = [:]
  /// What each of the products grants: made once, so that all who hold one share its list.
  private var granted: [Identifier: EntitlementList] = [:]

  package init(products: [Identifier: Product] = [:]) {
    for (id, product) in products { self[id] = product }
  }

  /// What the catalog says of a product; nil where it doesn't list it.
  package subscript(id: Identifier) -> Product? {
    get { products[id] }
    set {
      edition = Edition()
      products[id] = newValue
      var seen: Set<Identifier> = []
      granted[id] = newValue.map { EntitlementList(($0.entitlements + [id]).filter { seen.insert($0).inserted }) }
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
  package func entitlements(ofProduct productID: Identifier) -> [Identifier] { granted[productID]?.entitlements ?? [productID] }

  /// The same as a list that all who hold the product share; a new one for a product that isn't listed.
  func list(ofProduct productID: Identifier) -> EntitlementList { granted[productID] ?? EntitlementList([productID]) }

  /// Whether two products grant some entitlement both.
  func grantsSomeOfTheSame(_ one: Identifier, _ other: Identifier) -> Bool {
    if one == other { return true }
    let granted = entitlements(ofProduct: one)
    return entitlements(ofProduct: other).contains { granted.contains($0) }
  }
}

/// Entitlements that many customers have together, told apart from other lists by where it stands.
package final class EntitlementList: Sendable {
  package let entitlements: [Identifier]

  init(_ entitlements: [Identifier]) { self.entitlements = entitlements }
}

extension Catalog: Hashable {
  package static func == (one: Catalog, other: Catalog) -> Bool { one.products == other.products }

  package func hash(into hasher: inout Hasher) { hasher.combine(products) }
}
