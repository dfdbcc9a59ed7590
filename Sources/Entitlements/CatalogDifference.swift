/// What another catalog would give to customers and take from them at one moment, customer by customer.
package struct CatalogDifference: Hashable, Sendable {
  /// How many customers gain something by a product or an entitlement, and how many lose something.
  package struct Effect: Hashable, Sendable {
    package var gaining = 0
    package var losing = 0
  }

  /// How many customers were looked at.
  package private(set) var customers = 0
  package private(set) var customersGaining = 0
  package private(set) var customersLosing = 0
  /// Customers who gain or lose an entitlement, by its name.
  package private(set) var entitlements: [Identifier: Effect] = [:]
  /// The same by the product whose transaction gives it, under the one catalog or the other.
  package private(set) var products: [Identifier: Effect] = [:]
  /// Some of those who gain something, and of those who lose something.
  package private(set) var gainingExamples: [CustomerID] = []
  package private(set) var losingExamples: [CustomerID] = []

  /// How many examples are kept of each.
  package static let exampleLimit = 20

  package init() {}

  /// The share of customers who would lose something, from 0 to 1.
  package var cutShare: Double { customers == 0 ? 0 : Double(customersLosing) / Double(customers) }

  /// Adds what the other catalog would change for a customer: an entitlement is lost where it is allowed at the moment and wouldn't
  /// be. That it would end at another time is no difference.
  package mutating func add(_ customer: CustomerID, of ledger: Ledger, with catalog: Catalog, at moment: Moment) {
    var other = ledger
    other.replace(catalog: catalog)
    let before = ledger.allowed(to: customer, at: moment)
    let after = other.allowed(to: customer, at: moment)
    customers += 1
    note(after.subtracting(before), by: other, of: customer, at: moment, \.gaining)
    note(before.subtracting(after), by: ledger, of: customer, at: moment, \.losing)
    if !after.isSubset(of: before) {
      customersGaining += 1
      if gainingExamples.count < CatalogDifference.exampleLimit { gainingExamples.append(customer) }
    }
    if !before.isSubset(of: after) {
      customersLosing += 1
      if losingExamples.count < CatalogDifference.exampleLimit { losingExamples.append(customer) }
    }
  }

  /// Counts a customer for each of these entitlements, and for each product that gives one of them under a ledger's catalog.
  private mutating func note(
    _ names: Set<Identifier>, by ledger: Ledger, of customer: CustomerID, at moment: Moment, _ count: WritableKeyPath<Effect, Int>
  ) {
    if names.isEmpty { return }
    for name in names { entitlements[name, default: Effect()][keyPath: count] += 1 }
    let grants = ledger.holdings(of: customer).filter { ledger.access(by: $0).standing(at: moment)?.grants == true }
    for product in Set(grants.map { ledger.records.productID(of: $0) })
    where !names.isDisjoint(with: ledger.catalog.entitlements(ofProduct: product)) {
      products[product, default: Effect()][keyPath: count] += 1
    }
  }
}

extension Ledger {
  /// The entitlements that a customer may use at a moment.
  fileprivate func allowed(to customer: CustomerID, at moment: Moment) -> Set<Identifier> {
    let timelines = access(of: customer)?.timelines ?? []
    return Set(timelines.filter { $0.timeline.decision(at: moment).isAllowed }.map(\.entitlement))
  }
}

/// How many customers a new catalog may cut: a share of all, from 0 to 1.
package struct CutLimit: Hashable, Sendable {
  package var share: Double

  package init(share: Double) { self.share = share }

  /// One customer in a hundred.
  package static let `default` = CutLimit(share: 0.01)
  /// Whatever it cuts.
  package static let none = CutLimit(share: 1)

  /// Whether a catalog with this difference may apply.
  package func allows(_ difference: CatalogDifference) -> Bool { difference.cutShare <= share }
}

/// A catalog that would cut more customers than the limit allows. Nothing changed.
package struct CatalogRefusal: Error, CustomStringConvertible {
  package var difference: CatalogDifference
  package var limit: CutLimit

  package init(_ difference: CatalogDifference, limit: CutLimit) {
    self.difference = difference
    self.limit = limit
  }

  package var description: String {
    let worst = difference.entitlements.filter { $0.value.losing > 0 }.sorted {
      ($1.value.losing, $0.key) < ($0.value.losing, $1.key)
    }
    let names = worst.prefix(3).map { "\($0.key) from \($0.value.losing)" }.joined(separator: ", ")
    return "the catalog would take something from \(difference.customersLosing) of \(difference.customers) customers "
      + "(\(CatalogRefusal.percent(difference.cutShare))), and at most \(CatalogRefusal.percent(limit.share)) is allowed; "
      + "it takes \(names)"
  }

  /// A share in percent with at most two digits of fraction, such as `12.5 %`.
  private static func percent(_ share: Double) -> String {
    let hundredths = Int((share * 10_000).rounded())
    let fraction = hundredths % 100
    let digits = fraction % 10 == 0 ? "\(fraction / 10)" : (fraction < 10 ? "0" : "") + "\(fraction)"
    return fraction == 0 ? "\(hundredths / 100) %" : "\(hundredths / 100).\(digits) %"
  }
}
