import Entitlements
import JSON

extension Catalog {
  /// The most bytes of a catalog, the most products in it, and the most entitlements of one product.
  package static let sizeLimit = 16 << 20
  package static let productLimit = 10_000
  package static let entitlementLimit = 100

  /// Reads a catalog file: `{ "products": [ { "product_id", "type", "entitlements", "access_period" } ] }`, of which all but
  /// `product_id` may be left out.
  ///
  /// - Throws: `JSONError` with the line of an unknown key, a repeated product or entitlement, an unknown type, a malformed
  ///   duration, one on a product that isn't non-renewing, or a name that isn't 1 to 128 bytes.
  package init(parsing bytes: [UInt8]) throws(JSONError) {
    try self.init(reading: try JSONDocument(parsing: bytes, sizeLimit: Catalog.sizeLimit).root)
  }

  /// Reads a catalog that stands inside another document.
  package init(reading root: JSONReader) throws(JSONError) {
    self.init()
    try root.refuseKeys(otherThan: ["products"])
    guard let list = try root.optional("products") else { return }
    let elements = try list.elements()
    guard elements.count <= Catalog.productLimit else {
      throw list.error("expected at most \(Catalog.productLimit) products, found \(elements.count)")
    }
    for element in elements {
      try element.refuseKeys(otherThan: ["product_id", "type", "entitlements", "access_period"])
      let id = try element.required("product_id")
      let productID = try id.identifier()
      guard products[productID] == nil else { throw id.error("the product \(JSONReader.quoted(productID.text)) stands twice") }
      self[productID] = try Product(reading: element)
    }
  }

  /// The catalog as JSON in one form: products by id, each entitlement list in its own order, absent keys left out.
  package var json: String {
    let products = self.products.sorted { $0.key < $1.key }.map { $1.json(id: $0) }
    return JSONValue.object([JSONValue.Member(key: "products", value: .array(products))]).pretty + "\n"
  }
}

extension Catalog.Product {
  fileprivate init(reading object: JSONReader) throws(JSONError) {
    self.init(
      type: try object.optional("type")?.knownProductType(),
      entitlements: try object.optional("entitlements")?.entitlementNames() ?? [])
    guard let period = try object.optional("access_period") else { return }
    guard let duration = AccessPeriod(iso8601: try period.string()) else {
      throw period.error(
        "expected an ISO 8601 duration of days, weeks, months or years such as P30D, found "
          + JSONReader.quoted(try period.string()))
    }
    if let type, type != .nonRenewingSubscription {
      throw period.error("only a Non-Renewing Subscription has an access period; this product is a \(type.text)")
    }
    accessPeriod = duration
  }

  fileprivate func json(id: Identifier) -> JSONValue {
    var members = [JSONValue.Member(key: "product_id", value: .string(id.text))]
    if let type { members.append(JSONValue.Member(key: "type", value: .string(type.text))) }
    if !entitlements.isEmpty {
      members.append(JSONValue.Member(key: "entitlements", value: .array(entitlements.map { .string($0.text) })))
    }
    if let accessPeriod { members.append(JSONValue.Member(key: "access_period", value: .string(accessPeriod.iso8601))) }
    return .object(members)
  }
}

extension JSONReader {
  /// One of Apple's four product types: a catalog is written by hand, so another one is a mistake.
  fileprivate func knownProductType() throws(JSONError) -> ProductType {
    let known: [ProductType] = [.autoRenewableSubscription, .nonConsumable, .nonRenewingSubscription, .consumable]
    let type = ProductType(text: try string())
    guard known.contains(type) else {
      throw error("expected one of \(known.map(\.text).joined(separator: ", ")), found \(JSONReader.quoted(type.text))")
    }
    return type
  }

  fileprivate func entitlementNames() throws(JSONError) -> [Identifier] {
    let elements = try elements()
    guard elements.count <= Catalog.entitlementLimit else {
      throw error("expected at most \(Catalog.entitlementLimit) entitlements, found \(elements.count)")
    }
    var names: [Identifier] = []
    for element in elements {
      let name = try element.identifier()
      guard !names.contains(name) else { throw element.error("the entitlement \(JSONReader.quoted(name.text)) stands twice") }
      names.append(name)
    }
    return names
  }
}
