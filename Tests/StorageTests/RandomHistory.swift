import Entitlements
import TestSupport

@testable import Storage

/// Recordings, settings and catalogs that depend on a seed alone, with few ids, so that they meet each other often.
struct RandomHistory {
  var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  static let customers: [CustomerID] = ["anna", "ben", "carla", "dora", "emil", "fred", "tester.1"]
  /// Those, and one who comes to hold nothing but manual grants.
  static let everyone = customers + ["only.given" as CustomerID]
  static let products: [Identifier] = ["pro.monthly", "pro.yearly", "lifetime", "season.pass", "coins.100", "unlisted"]
  /// The days from which dates are taken, around which answers are compared.
  static let dayCount: Int64 = 60

  mutating func any<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }

  /// A value once in so many times.
  mutating func maybe<Value>(oneIn count: Int, _ value: (inout RandomHistory) -> Value) -> Value? {
    random.oneIn(count) ? value(&self) : nil
  }

  mutating func moment() -> Moment { day(Int64.random(in: 0..<RandomHistory.dayCount, using: &random)) }

  mutating func id(_ prefix: String, of count: Int) -> Identifier {
    Identifier("\(prefix)\(Int.random(in: 1...count, using: &random))")
  }

  /// One input: mostly a recording, now and then another catalog or other settings.
  mutating func input() -> Input {
    if random.oneIn(40) { return .catalog(catalog()) }
    if random.oneIn(40) { return .settings(settings()) }
    if random.oneIn(60) { return .erasure(Erasure(customer: any(RandomHistory.customers), order: order())) }
    if random.oneIn(30) { return .move(move()) }
    if random.oneIn(8) { return .granting(granting()) }
    return .recording(recording())
  }

  mutating func granting() -> Granting {
    let from = moment()
    let act: Granting.Act =
      random.oneIn(3)
      ? .takeBack(at: moment())
      : .give(from: from, until: maybe(oneIn: 2) { $0.moment() }.flatMap { $0 > from ? $0 : nil })
    return Granting(
      customer: any(RandomHistory.everyone), entitlement: any(["pro", "plus", "lifetime"]),
      by: any(["support", "boss"]), note: "goodwill", recordedAt: moment(), act: act)
  }

  private mutating func move() -> CustomerMove {
    let from = any(RandomHistory.customers)
    return CustomerMove(from: from, to: any(RandomHistory.customers.filter { $0 != from }), order: order())
  }

  private mutating func order() -> OperatorOrder {
    OperatorOrder(by: any(["support", "privacy"]), note: id("request ", of: 99).text, at: moment())
  }

  mutating func recording() -> Recording {
    let rows = (0..<any([1, 1, 1, 1, 2, 3, 0])).map { _ in row() }
    let isShared = !rows.isEmpty && rows.allSatisfy { $0.transaction.ownership == .familyShared }
    return Recording(
      customer: random.oneIn(3) ? nil : any(RandomHistory.customers), notification: maybe(oneIn: 2) { $0.notification() },
      rows: rows, renewalInfos: maybe(oneIn: 3) { [$0.renewal()] } ?? [],
      sharedFrom: isShared && random.oneIn(2) ? [id("o", of: 8)] : [], source: any(Source.allCases), receivedAt: moment())
  }

  mutating func notification() -> Recording.Notification {
    Recording.Notification(
      type: maybe(oneIn: 2) { $0.any(["DID_RENEW", "REVOKE", "LATER"]) }, subtype: maybe(oneIn: 4) { _ in "BILLING_RECOVERY" },
      uuid: maybe(oneIn: 2) { $0.id("u", of: 100).text }, signedDate: maybe(oneIn: 2) { $0.moment() })
  }

  mutating func row() -> Recording.Row {
    Recording.Row(
      transaction: transaction(), bundleID: bundleID(), revokeMark: maybe(oneIn: 8) { $0.moment() }, otherFields: otherFields())
  }

  mutating func renewal() -> Recording.Renewal {
    Recording.Renewal(info: renewalInfo(), bundleID: bundleID(), otherFields: otherFields())
  }

  private mutating func bundleID() -> String? {
    maybe(oneIn: 4) { $0.any(["com.example.app", "com.example.app", "com.example.other"]) }
  }

  private mutating func otherFields() -> String? {
    maybe(oneIn: 4) { "{\"webOrderLineItemId\":\"\($0.id("w", of: 9))\"}" }
  }

  mutating func transaction() -> Transaction {
    let product = any(RandomHistory.products)
    var transaction = Transaction(
      transactionID: id("t", of: 24), originalTransactionID: id("o", of: 8), productID: product, type: type(of: product),
      ownership: any([.purchased, .purchased, .purchased, .familyShared, .familyShared, .other("LENT")]),
      environment: maybe(oneIn: 10) { $0.any([.production, .sandbox]) },
      purchaseDate: moment(), signedDate: moment())
    if transaction.type == .autoRenewableSubscription || random.oneIn(4) { transaction.expiresDate = moment() }
    transaction.isUpgraded = random.oneIn(12)
    if random.oneIn(4) {
      transaction.revocationDate = moment()
      transaction.revocationReason = maybe(oneIn: 2) { $0.any([.other, .developerIssue, .upgradedToBundle, .unnamed("7")]) }
      transaction.revocationType = maybe(oneIn: 2) { $0.any([.refundFull, .refundProrated, .familyRevoke, .other("LATER")]) }
    }
    transaction.revocationPercentage = maybe(oneIn: 4) { Int32.random(in: 0...100_000, using: &$0.random) }
    transaction.priceMilliunits = maybe(oneIn: 2) { Int64.random(in: 0...9_990, using: &$0.random) }
    transaction.currency = maybe(oneIn: 2) { $0.any(["EUR", "USD"]) }
    transaction.appTransactionID = maybe(oneIn: 2) { $0.id("a", of: 5) }
    transaction.appAccountToken = maybe(oneIn: 4) { $0.any(RandomHistory.customers).text }
    return transaction
  }

  private mutating func type(of product: Identifier) -> ProductType? {
    if random.oneIn(10) { return any([nil, .other("Later Kind"), .nonConsumable]) }
    return Catalog.sample.products[product]?.type
  }

  mutating func renewalInfo() -> RenewalInfo {
    RenewalInfo(
      originalTransactionID: id("o", of: 8), environment: maybe(oneIn: 10) { _ in .sandbox }, signedDate: moment(),
      gracePeriodExpiresDate: maybe(oneIn: 2) { $0.moment() }, isInBillingRetryPeriod: random.oneIn(2),
      autoRenewProductID: maybe(oneIn: 2) { $0.any(RandomHistory.products) },
      autoRenewStatus: maybe(oneIn: 2) { Int32.random(in: 0...1, using: &$0.random) },
      expirationIntent: maybe(oneIn: 3) { Int32.random(in: 1...5, using: &$0.random) })
  }

  mutating func settings() -> Settings {
    var settings = Settings()
    settings.transferPolicy = any(TransferPolicy.allCases)
    settings.customerFromAppAccountToken = random.oneIn(2)
    settings.clockSkewMilliseconds = any([0, 60_000])
    settings.bundleID = maybe(oneIn: 2) { _ in "com.example.app" }
    settings.sandboxCustomers = maybe(oneIn: 2) { _ in ["tester.*", "anna"] } ?? []
    return settings
  }

  mutating func catalog() -> Catalog {
    var catalog = Catalog.sample
    let product = any(RandomHistory.products)
    catalog[product] = maybe(oneIn: 2) { history in
      Catalog.Product(
        type: history.maybe(oneIn: 2) { $0.any([.consumable, .nonConsumable, .other("Later Kind")]) },
        entitlements: history.any([[], ["pro"], ["plus", "season"]]),
        accessPeriod: history.maybe(oneIn: 2) { AccessPeriod(months: 0, days: Int64.random(in: 1...40, using: &$0.random)) })
    }
    return catalog
  }
}

/// Midnight of a day, counted from 2026-01-01 in UTC.
func day(_ number: Int64) -> Moment { Moment(milliseconds: 1_767_225_600_000 + number * 86_400_000) }

extension Catalog {
  static let sample = Catalog(products: [
    "pro.monthly": Product(type: .autoRenewableSubscription, entitlements: ["pro"]),
    "pro.yearly": Product(type: .autoRenewableSubscription, entitlements: ["pro", "plus"]),
    "lifetime": Product(type: .nonConsumable, entitlements: ["pro"]),
    "season.pass": Product(type: .nonRenewingSubscription, entitlements: ["season"], accessPeriod: AccessPeriod(days: 30)),
    "coins.100": Product(type: .consumable, entitlements: ["coins"]),
  ])
}
