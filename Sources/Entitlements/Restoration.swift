/// A piece of another ledger's state, to be taken over as it is: what a dump is made of.
package enum Restoration: Hashable, Sendable {
  case settings(Settings)
  case catalog(Catalog)
  /// Which of all tombstones it is, from 0 on: two may say the very same.
  case tombstone(Tombstone, place: Int)
  /// What remains of an erased transaction, and which of all such it is, from 0 on.
  case anonymousRecord(Record, place: Int)
  case record(Record)
  case renewalInfo(RenewalInfo)
  /// All manual grants of a customer.
  case grants([ManualGrant], of: CustomerID)
}

// MARK: - What can never be right

extension Restoration {
  /// The most holders and the most links of one record.
  package static let holderLimit = 65_536

  /// Refuses what no ledger ever held: ids, words and moments as in `Recording.validate`, a record without an environment or with
  /// a holder twice. Errors name the field.
  package func validate() throws(Refusal) {
    switch self {
    case .settings(let settings): try Restoration.validate(settings)
    case .catalog(let catalog): try Restoration.validate(catalog)
    case .tombstone(let tombstone, let place):
      try OperatorOrder(by: tombstone.by, note: "erased", at: tombstone.erasedAt).validate()
      try check(place >= 0 && tombstone.isCount, "tombstone", "a count is negative")
    case .anonymousRecord(let record, let place):
      try check(place >= 0 && record.transaction.environment != nil, "record", "has no place or no environment")
      try check(record.holders.isEmpty && record.links.isEmpty, "record", "has no ids, but holders or links")
      try Restoration.validateMoments(of: record)
    case .record(let record): try Restoration.validate(record)
    case .renewalInfo(let info):
      try Recording(renewalInfos: [Recording.Renewal(info: info)], receivedAt: info.signedDate).validate()
    case .grants(let grants, let customer): try Restoration.validate(grants, of: customer)
    }
  }

  private static func validate(_ settings: Settings) throws(Refusal) {
    guard (0...Moment.accepted.upperBound.milliseconds).contains(settings.clockSkewMilliseconds) else {
      throw .invalid(field: "settings.clock_skew_ms", problem: "is out of bounds")
    }
    for customer in settings.sandboxCustomers {
      try FieldCheck.check(Identifier(customer), named: "settings.sandbox_customers")
    }
  }

  private static func validate(_ catalog: Catalog) throws(Refusal) {
    for (id, product) in catalog.products {
      try FieldCheck.check(id, named: "catalog.products.product_id")
      for name in product.entitlements { try FieldCheck.check(name, named: "catalog.products.entitlements") }
      guard let period = product.accessPeriod else { continue }
      guard (0...AccessPeriod.longestMonths).contains(period.months), (0...AccessPeriod.longestDays).contains(period.days) else {
        throw .invalid(field: "catalog.products.access_period", problem: "is negative or over a thousand years")
      }
    }
  }

  private static func validate(_ record: Record) throws(Refusal) {
    guard record.transaction.environment != nil else {
      throw .invalid(field: "record.transaction.environment", problem: "is missing")
    }
    try Recording(rows: [Recording.Row(transaction: record.transaction)], receivedAt: record.recordedAt).validate()
    try validateMoments(of: record)
    for holder in record.holders { try FieldCheck.check(holder, named: "record.holders") }
    for link in record.links { try FieldCheck.check(link, named: "record.links") }
    guard Set(record.holders).count == record.holders.count, Set(record.links).count == record.links.count,
      max(record.holders.count, record.links.count) <= holderLimit
    else { throw .invalid(field: "record.holders", problem: "somebody or some link stands twice, or there are too many") }
  }

  /// Refuses what no arithmetic with moments could bear; what is anonymous may lie a day before 1970.
  private static func validateMoments(of record: Record) throws(Refusal) {
    let moments =
      [record.firstRecordedAt, record.recordedAt, record.transaction.signedDate]
      + [
        record.earliestRevokedVersion, record.revocationRecordedAt, record.transaction.revocationDate,
        record.transaction.purchaseDate,
      ].compactMap(\.self)
      + record.marks.map(\.date)
    for moment in moments
    where moment < Moment.accepted.lowerBound.earlier(byMilliseconds: 86_400_000)
      || moment > Moment.accepted.upperBound
    {
      throw .invalid(field: "record", problem: "\(moment.milliseconds) ms is outside the years 1970 to 9999")
    }
  }

  private static func validate(_ grants: [ManualGrant], of customer: CustomerID) throws(Refusal) {
    try FieldCheck.check(customer, named: "customer_grants.customer_id")
    guard (1...Ledger.grantLimit).contains(grants.count) else {
      throw .invalid(field: "customer_grants.grants", problem: "are none, or more than \(Ledger.grantLimit)")
    }
    for grant in grants {
      var words = Granting(
        customer: customer, entitlement: grant.entitlement, by: grant.by, note: grant.note, recordedAt: grant.recordedAt,
        act: .give(from: grant.from, until: grant.until))
      try words.validate()
      guard let takenBack = grant.takenBack else { continue }
      (words.by, words.note, words.act) = (takenBack.by, takenBack.note, .takeBack(at: takenBack.at))
      try words.validate()
    }
  }

  private func check(_ holds: Bool, _ field: String, _ problem: String) throws(Refusal) {
    if !holds { throw .invalid(field: field, problem: problem) }
  }
}

extension Tombstone {
  fileprivate var isCount: Bool { min(removed, anonymous, kept) >= 0 }
}
