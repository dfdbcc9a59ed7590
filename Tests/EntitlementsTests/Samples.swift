@testable import Entitlements

// What the tests of this target speak with: days instead of milliseconds, and transactions in one line.

/// Midnight of a day, counted from 2026-01-01 in UTC, and some milliseconds after it.
func day(_ number: Int64, plus milliseconds: Int64 = 0) -> Moment {
  Moment(milliseconds: 1_767_225_600_000 + number * 86_400_000 + milliseconds)
}

/// A transaction of the given type, bought on day 0 and signed then, changed as the test needs it.
func transaction(
  _ id: Identifier, of original: Identifier? = nil, product: Identifier, _ type: ProductType?,
  _ change: (inout Transaction) -> Void = { _ in }
) -> Transaction {
  var transaction = Transaction(
    transactionID: id, originalTransactionID: original, productID: product, type: type, purchaseDate: day(0), signedDate: day(0))
  change(&transaction)
  return transaction
}

/// A monthly subscription of "pro" from day 0 to day 30.
func monthly(_ id: Identifier, of original: Identifier? = nil, _ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
  transaction(id, of: original, product: "pro.monthly", .autoRenewableSubscription) {
    $0.expiresDate = day(30)
    change(&$0)
  }
}

/// A purchase of "pro" for good.
func lifetime(_ id: Identifier, of original: Identifier? = nil, _ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
  transaction(id, of: original, product: "lifetime", .nonConsumable, change)
}

/// A non-renewing subscription of "season", for 30 days by the catalog.
func season(_ id: Identifier, _ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
  transaction(id, product: "season.pass", .nonRenewingSubscription, change)
}

/// A consumable of "coins".
func coins(_ id: Identifier, _ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
  transaction(id, product: "coins.100", .consumable, change)
}

/// A renewal info of a lineage.
func renewal(
  of original: Identifier, signed: Moment, grace: Moment? = nil, retrying: Bool = false, environment: Environment? = nil
) -> RenewalInfo {
  RenewalInfo(
    originalTransactionID: original, environment: environment, signedDate: signed, gracePeriodExpiresDate: grace,
    isInBillingRetryPeriod: retrying)
}

extension Transaction {
  /// A copy with a change.
  func with(_ change: (inout Transaction) -> Void) -> Transaction {
    var copy = self
    change(&copy)
    return copy
  }

  /// Makes this a member's copy.
  mutating func share(account: Identifier? = nil) {
    ownership = .familyShared
    appTransactionID = account
  }

  /// Makes this the version that says it was refunded, signed at the moment of the refund.
  mutating func refund(at moment: Moment, type: RevocationType? = nil) {
    revocationDate = moment
    revocationReason = .other
    revocationType = type
    signedDate = max(signedDate, moment)
  }
}

extension Catalog {
  static let sample = Catalog(products: [
    "pro.monthly": Product(type: .autoRenewableSubscription, entitlements: ["pro"]),
    "pro.yearly": Product(type: .autoRenewableSubscription, entitlements: ["pro"]),
    "plus.monthly": Product(type: .autoRenewableSubscription, entitlements: ["plus"]),
    "lifetime": Product(type: .nonConsumable, entitlements: ["pro"]),
    "season.pass": Product(
      type: .nonRenewingSubscription, entitlements: ["season"], accessPeriod: AccessPeriod(iso8601: "P30D")),
    "coins.100": Product(type: .consumable, entitlements: ["coins"]),
  ])
}

extension Ledger {
  /// A ledger with the sample catalog.
  static func sample(_ change: (inout Settings) -> Void = { _ in }) -> Ledger {
    var settings = Settings()
    change(&settings)
    return Ledger(settings: settings, catalog: .sample)
  }

  /// Records one transaction with what came around it.
  @discardableResult
  mutating func record(
    _ transaction: Transaction, as customer: CustomerID? = nil, sharedFrom links: [Identifier] = [], mark: Moment? = nil,
    with info: RenewalInfo? = nil, bundleID: String? = nil, receivedAt: Moment = day(0)
  ) throws(Refusal) -> Recorded {
    let recording = Recording(
      customer: customer, rows: [.init(transaction: transaction, bundleID: bundleID, revokeMark: mark)],
      renewalInfos: info.map { [.init(info: $0)] } ?? [], sharedFrom: links, receivedAt: receivedAt)
    try recording.validate()
    return try record(recording)
  }

  /// Records a renewal info alone.
  @discardableResult
  mutating func record(_ info: RenewalInfo, as customer: CustomerID? = nil, bundleID: String? = nil) throws(Refusal) -> Recorded {
    let recording = Recording(customer: customer, renewalInfos: [.init(info: info, bundleID: bundleID)], receivedAt: day(0))
    try recording.validate()
    return try record(recording)
  }

  /// Gives "pro", or what is named, as an operator does.
  @discardableResult
  mutating func give(
    _ entitlement: Identifier = "pro", to customer: CustomerID, from: Moment, until: Moment? = nil, by: String = "support",
    note: String = "goodwill"
  ) throws(Refusal) -> Recorded {
    try grant(entitlement, customer, by, note, .give(from: from, until: until))
  }

  /// Takes back what operators gave.
  @discardableResult
  mutating func takeBack(_ entitlement: Identifier = "pro", from customer: CustomerID, at moment: Moment) throws(Refusal)
    -> Recorded
  {
    try grant(entitlement, customer, "support", "over", .takeBack(at: moment))
  }

  private mutating func grant(
    _ entitlement: Identifier, _ customer: CustomerID, _ by: String, _ note: String, _ act: Granting.Act
  ) throws(Refusal) -> Recorded {
    let granting = Granting(
      customer: customer, entitlement: entitlement, by: by, note: note, recordedAt: day(0), act: act)
    try granting.validate()
    return try grant(granting)
  }

  /// The answer to a check, as a server would give it.
  func decision(_ customer: CustomerID, _ entitlement: Identifier = "pro", at moment: Moment) -> Decision {
    access(of: customer)?.decision(for: entitlement, at: moment) ?? .denied(.unknownCustomer)
  }

  /// The reason of the answer.
  func reason(_ customer: CustomerID, _ entitlement: Identifier = "pro", at moment: Moment) -> Reason {
    decision(customer, entitlement, at: moment).reason
  }

  /// Who holds a transaction of the server's own environment, first holder first.
  func holders(of id: Identifier, in environment: Environment? = nil) -> [CustomerID] {
    number(of: ScopedID(environment ?? settings.environment, id)).map { records[$0].holders } ?? []
  }

  /// All that a ledger holds, to compare two of them.
  var contents: LedgerContents {
    LedgerContents(
      records: Array(records),
      transactions: records.lineageIDs.reduce(into: [:]) { $0[$1] = transactions(of: $1) },
      linkedTransactions: records.lineageIDs.reduce(into: [:]) { $0[$1] = linkedTransactions(of: $1) },
      renewalInfos: records.lineageIDs.reduce(into: [:]) { $0[$1] = renewalInfo(of: $1) },
      holdings: records.holders.reduce(into: [:]) { $0[$1] = holdings(of: $1) }, grants: grants)
  }

  private func linkedTransactions(of lineage: ScopedID) -> [RecordNumber] {
    records.number(ofLineage: lineage).map { records.linkedRecords(of: $0) } ?? []
  }
}

/// The records of a ledger, what surrounds them, who holds them, and what operators gave.
struct LedgerContents: Equatable {
  var records: [Record]
  /// By lineage.
  var transactions: [ScopedID: [RecordNumber]]
  var linkedTransactions: [ScopedID: [RecordNumber]]
  var renewalInfos: [ScopedID: RenewalInfo]
  var holdings: [CustomerID: [RecordNumber]]
  var grants: [CustomerID: [ManualGrant]]
}
