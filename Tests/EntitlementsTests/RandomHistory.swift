import Entitlements
import TestSupport

/// Draws recordings from a universe so small that ids collide and dates fall together.
struct RandomHistory {
  static let customers: [CustomerID] = ["ana", "bob", "cid", "dee"]
  static let entitlements: [Identifier] = [
    "pro", "plus", "season", "coins", "pro.monthly", "lifetime", "season.pass", "coins.100", "unlisted", "gift",
  ]
  static let catalog = Catalog(products: [
    "pro.monthly": .init(type: .autoRenewableSubscription, entitlements: ["pro"]),
    "lifetime": .init(type: .nonConsumable, entitlements: ["pro", "plus"]),
    "season.pass": .init(type: .nonRenewingSubscription, entitlements: ["season"], accessPeriod: AccessPeriod(days: 2)),
    "coins.100": .init(type: .consumable, entitlements: ["coins"]),
  ])
  /// Days of which every date is one, so that ties happen.
  static let days: ClosedRange<Int64> = 0...8

  var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// A ledger under settings of chance.
  mutating func ledger() -> Ledger {
    var settings = Settings()
    settings.transferPolicy = pick(TransferPolicy.allCases)
    settings.customerFromAppAccountToken = random.oneIn(2)
    settings.clockSkewMilliseconds = pick([0, 60_000])
    settings.sandboxCustomers = pick([[], ["ana", "b*"], ["*"]])
    settings.bundleID = pick([nil, "app"])
    return Ledger(settings: settings, catalog: RandomHistory.catalog)
  }

  // MARK: - Where anything may collide with anything

  /// Any recording, which may be refused.
  mutating func recording() -> Recording {
    let count = pick([0, 1, 1, 1, 1, 1, 1, 2, 3])
    var rows: [Recording.Row] = []
    for _ in 0..<count {
      rows.append(row(of: version(of: Identifier("\(Int.random(in: 1...7, using: &random))"), in: anySlot())))
    }
    var recording = Recording(
      customer: random.oneIn(3) ? nil : pick(RandomHistory.customers), rows: rows, receivedAt: moment())
    if count == 0 || random.oneIn(3) {
      let info = renewalInfo(of: rows.first?.transaction.originalTransactionID ?? lineage())
      recording.renewalInfos = [.init(info: info)]
    }
    if random.oneIn(2), !rows.isEmpty, rows.allSatisfy({ $0.transaction.ownership == .familyShared }) {
      recording.sharedFrom = [lineage(), lineage()]
    }
    if random.oneIn(40) { recording.rows.indices.forEach { recording.rows[$0].bundleID = "other" } }
    return recording
  }

  private mutating func anySlot() -> Slot {
    Slot(
      customer: "ana", lineage: lineage(),
      ownership: random.oneIn(30) ? .other("ASSIGNED") : random.oneIn(2) ? .purchased : .familyShared,
      account: pick([nil, nil, "A", "B", "C"]), environment: pick([nil, nil, nil, .production, .sandbox]))
  }

  mutating func lineage() -> Identifier { pick(["1", "2", "3"]) }

  /// An operator's word, which may be refused.
  mutating func granting() -> Granting {
    let from = moment()
    let until = pick([nil, moment()]).flatMap { $0 > from ? $0 : nil }
    return Granting(
      customer: pick(RandomHistory.customers), entitlement: pick(["pro", "plus", "pro.monthly", "gift"]), by: pick(["op", "po"]),
      note: "goodwill", recordedAt: day(9), act: random.oneIn(3) ? .takeBack(at: moment()) : .give(from: from, until: until))
  }

  // MARK: - Where each customer is named and no two claim the same thing

  /// A place for transactions that only one customer ever claims.
  struct Slot {
    var customer: CustomerID
    var lineage: Identifier
    var ownership: Ownership
    var account: Identifier?
    var environment: Environment?
  }

  /// Purchases, copies with ids of their own, copies under the purchaser's id, and two members under one id.
  static let slots = [
    Slot(customer: "ana", lineage: "1", ownership: .purchased, account: "A"),
    Slot(customer: "bob", lineage: "2", ownership: .purchased, account: nil),
    Slot(customer: "bob", lineage: "1", ownership: .familyShared, account: "B"),
    Slot(customer: "cid", lineage: "1", ownership: .familyShared, account: "C"),
    Slot(customer: "cid", lineage: "3", ownership: .familyShared, account: nil),
    Slot(customer: "dee", lineage: "3", ownership: .purchased, account: "D"),
    Slot(customer: "dee", lineage: "4", ownership: .familyShared, account: "D"),
    Slot(customer: "dee", lineage: "4", ownership: .familyShared, account: nil),
    Slot(customer: "ana", lineage: "5", ownership: .other("ASSIGNED"), account: nil),
  ]

  /// A recording that only its own customer's other recordings touch.
  mutating func settledRecording() -> Recording {
    let index = Int.random(in: RandomHistory.slots.indices, using: &random)
    let slot = RandomHistory.slots[index]
    var recording = Recording(customer: slot.customer, receivedAt: moment())
    for _ in 0..<pick([1, 1, 1, 2, 3]) {
      let id = Identifier("\(index * 3 + Int.random(in: 0..<3, using: &random))")
      recording.rows.append(row(of: version(of: id, in: slot)))
    }
    if random.oneIn(3) { recording.renewalInfos = [.init(info: renewalInfo(of: slot.lineage))] }
    if slot.ownership == .familyShared, random.oneIn(2) { recording.sharedFrom = [pick(["1", "2", "3"])] }
    return recording
  }

  /// A recording of one customer's, whose transactions change whatever can change.
  mutating func recordingOfOne() -> Recording {
    var recording = recording()
    recording.customer = "ana"
    return recording
  }

  // MARK: - Parts

  private mutating func row(of version: Transaction) -> Recording.Row {
    var row = Recording.Row(transaction: version)
    if version.revocationDate == nil, random.oneIn(5) { row.revokeMark = moment() }
    return row
  }

  private mutating func version(of id: Identifier, in slot: Slot) -> Transaction {
    let (product, type): (Identifier, ProductType) = pick([
      ("pro.monthly", .autoRenewableSubscription), ("pro.monthly", .autoRenewableSubscription),
      ("pro.monthly", .autoRenewableSubscription), ("lifetime", .nonConsumable), ("lifetime", .nonConsumable),
      ("season.pass", .nonRenewingSubscription), ("coins.100", .consumable), ("unlisted", .autoRenewableSubscription),
    ])
    var version = Transaction(
      transactionID: id, originalTransactionID: slot.lineage, productID: product, type: random.oneIn(8) ? nil : type,
      ownership: slot.ownership, environment: slot.environment, signedDate: moment(), appTransactionID: slot.account)
    if random.oneIn(30) { version.type = .other("Seat") }
    version.purchaseDate = random.oneIn(12) ? nil : moment()
    if type == .autoRenewableSubscription { version.expiresDate = random.oneIn(12) ? nil : moment() }
    version.isUpgraded = random.oneIn(8)
    if random.oneIn(3) {
      version.revocationDate = moment()
      version.revocationReason = pick([.other, .developerIssue, .upgradedToBundle])
      version.revocationType = pick([nil, .refundFull, .familyRevoke])
      version.revocationPercentage = pick([nil, 33_333])
    }
    version.priceMilliunits = pick([nil, 999])
    version.currency = pick([nil, "USD", "EUR"])
    version.appAccountToken = random.oneIn(6) ? pick(RandomHistory.customers).text : nil
    return version
  }

  private mutating func renewalInfo(of lineage: Identifier) -> RenewalInfo {
    RenewalInfo(
      originalTransactionID: lineage, environment: pick([nil, nil, .sandbox]), signedDate: moment(),
      gracePeriodExpiresDate: random.oneIn(3) ? nil : moment(), isInBillingRetryPeriod: random.oneIn(2),
      autoRenewProductID: pick([nil, "lifetime"]))
  }

  private mutating func moment() -> Moment { day(Int64.random(in: RandomHistory.days, using: &random)) }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }

  // MARK: - Moments to ask about

  /// Every moment around which an answer can change: each day, each start with its clock skew, one millisecond either side.
  static let moments: [Moment] = (days.lowerBound - 1...days.upperBound + 3).flatMap { number in
    [-60_001, -60_000, -59_999, -1, 0, 1].map { day(number, plus: $0) }
  }
}
