import Testing

@testable import Entitlements

/// What another catalog would change, and whether that is too much.
struct CatalogDifferenceTests {
  /// Anna and ben have "pro" by different products, carla's is over, dora holds both.
  private func ledger() throws -> Ledger {
    var ledger = Ledger(catalog: .sample)
    func record(_ transaction: Transaction, _ customer: CustomerID) throws {
      _ = try ledger.record(Recording(customer: customer, rows: [.init(transaction: transaction)], receivedAt: day(0)))
    }
    try record(monthly("1"), "anna")
    try record(lifetime("2"), "ben")
    try record(monthly("3") { $0.expiresDate = day(5) }, "carla")
    try record(monthly("4"), "dora")
    try record(lifetime("5"), "dora")
    return ledger
  }

  private func difference(_ change: (inout Catalog) -> Void) throws -> CatalogDifference {
    let ledger = try ledger()
    var catalog = ledger.catalog
    change(&catalog)
    var difference = CatalogDifference()
    for customer in ledger.records.holders.sorted() { difference.add(customer, of: ledger, with: catalog, at: day(10)) }
    return difference
  }

  @Test("The same catalog changes nothing for anyone") func same() throws {
    let same = try difference { _ in }
    #expect(same.customers == 4)
    #expect(same.entitlements.isEmpty && same.products.isEmpty)
    #expect(same.cutShare == 0)
  }

  @Test("Only who is allowed now, and by nothing else, loses an entitlement") func losses() throws {
    let less = try difference { $0["pro.monthly"]?.entitlements = [] }
    #expect(less.customersLosing == 1 && less.losingExamples == ["anna"])
    #expect(less.entitlements == ["pro": .init(gaining: 0, losing: 1)])
    #expect(less.products == ["pro.monthly": .init(gaining: 0, losing: 1)])
    #expect(less.customersGaining == 0)
    #expect(less.cutShare == 0.25)
  }

  @Test("Who loses one entitlement and gains another counts in both") func renaming() throws {
    let renamed = try difference { catalog in
      for product in ["pro.monthly", "lifetime"] as [Identifier] { catalog[product]?.entitlements = ["gold"] }
    }
    #expect(renamed.customersLosing == 3 && renamed.customersGaining == 3)
    #expect(renamed.entitlements == ["pro": .init(gaining: 0, losing: 3), "gold": .init(gaining: 3, losing: 0)])
    #expect(renamed.products["pro.monthly"] == .init(gaining: 2, losing: 2))
    #expect(renamed.products["lifetime"] == .init(gaining: 2, losing: 2))
  }

  @Test("A product's own name is never lost, whatever the catalog leaves out") func ownNames() throws {
    let empty = try difference { $0 = Catalog() }
    #expect(empty.entitlements.keys.allSatisfy { ["pro"].contains($0) }, "\(empty.entitlements)")
  }

  @Test("Twenty examples are kept") func examples() throws {
    var ledger = Ledger(catalog: .sample)
    for number in 1...21 {
      let transaction = lifetime(Identifier("\(number)"))
      _ = try ledger.record(
        Recording(customer: Identifier("c\(number)"), rows: [.init(transaction: transaction)], receivedAt: day(0)))
    }
    var difference = CatalogDifference()
    for customer in ledger.records.holders { difference.add(customer, of: ledger, with: Catalog(), at: day(1)) }
    #expect(difference.customersLosing == 21)
    #expect(difference.losingExamples.count == 20)
  }

  @Test(
    "A limit allows its own share, and nothing above it",
    arguments: [(0.25, true), (0.24, false), (1, true), (0, false)])
  func limits(share: Double, isAllowed: Bool) throws {
    let less = try difference { $0["pro.monthly"]?.entitlements = [] }
    #expect(CutLimit(share: share).allows(less) == isAllowed)
    #expect(CutLimit(share: 0).allows(try difference { _ in }))
  }

  @Test("A refusal says how many of how many, which share, and what is lost most") func sentence() throws {
    let less = try difference { $0["pro.monthly"]?.entitlements = [] }
    #expect(
      CatalogRefusal(less, limit: .default).description
        == "the catalog would take something from 1 of 4 customers (25 %), and at most 1 % is allowed; it takes pro from 1")
    #expect(CatalogRefusal(less, limit: CutLimit(share: 0.005)).description.contains("at most 0.5 % is allowed"))
    #expect(CatalogRefusal(less, limit: CutLimit(share: 0.0105)).description.contains("at most 1.05 % is allowed"))
  }
}
