extension Ledger {
  /// What was served on the payment of a revoked transaction; nil for an upgrade to a bundle, which is no loss, and for a copy
  /// whose purchase is on record as refunded, to which it belongs.
  func leak(of number: RecordNumber, at now: Moment, _ usage: some UsageReading) -> Leak? {
    guard records.mayBeRevoked(number) else { return nil }
    let record = records[number]
    guard let kind = record.refundClass, kind != .bundleUpgrade, let date = record.revokedFrom else { return nil }
    if kind == .sharedRefund, linkedPurchases(of: number).contains(where: { isRefunded($0, before: now) && isBehind($0, number) })
    {
      return nil
    }
    let recorded = record.revocationRecordedAt
    return Leak(
      transactionID: record.transaction.transactionID, productID: record.transaction.productID, kind: kind, revokedFrom: date,
      recordedAt: recorded, people: Set(served(on: number).map(\.customer)).count,
      served: checks(onPaymentOf: number, since: record.transaction.purchaseDate ?? .distantPast, until: now, usage),
      late: lateChecks(of: number, date: date, recorded: recorded, at: now, usage))
  }

  private func lateChecks(of number: RecordNumber, date: Moment, recorded: Moment?, at now: Moment, _ usage: some UsageReading)
    -> CheckCount
  {
    if let counted = usage.lateChecks(of: records.key(of: number)) { return counted }
    if let recorded, recorded <= date { return CheckCount() }
    // What was allowed since then by anything at all: after a crash nobody knows how much of it was in time.
    return CheckCount(checks: checks(onPaymentOf: number, since: date, until: now, usage).checks, isExact: false)
  }

  /// The checks that were allowed to everyone who was served on a payment, of what its product grants.
  ///
  /// An upper bound where the counters don't tell more, or where something else granted the same in that time.
  package func checks(onPaymentOf number: RecordNumber, since begin: Moment, until end: Moment, _ usage: some UsageReading)
    -> CheckCount
  {
    let served = served(on: number)
    var count = CheckCount()
    for customer in Set(served.map(\.customer)) {
      let own = Set(served.filter { $0.customer == customer }.map(\.number))
      let entitlements = Set(own.flatMap { catalog.entitlements(ofProduct: records.productID(of: $0)) })
      for entitlement in entitlements {
        let checks = usage.usage(of: customer, entitlement).checks(since: begin)
        let isAlone = checks.checks == 0 || !grants(entitlement, to: customer, beside: own, from: begin, through: end)
        count += CheckCount(checks: checks.checks, isExact: checks.isExact && isAlone)
      }
    }
    return count
  }

  /// Whether something else that a customer holds grants an entitlement in some time.
  private func grants(
    _ entitlement: Identifier, to customer: CustomerID, beside own: Set<RecordNumber>, from begin: Moment, through end: Moment
  ) -> Bool {
    holdings(of: customer).contains { other in
      !own.contains(other) && catalog.entitlements(ofProduct: records.productID(of: other)).contains(entitlement)
        && access(by: other).grants(from: begin, through: end)
    }
  }

  private func isRefunded(_ purchase: RecordNumber, before moment: Moment) -> Bool {
    guard !records.isUpgraded(purchase), let date = records.revokedFrom(of: purchase), date <= moment else { return false }
    return records[purchase].refundClass == .refund
  }

  /// Whether a shared transaction grants although a purchase behind it was refunded, and none that is behind it grants.
  func isActiveWithoutPurchase(_ number: RecordNumber, at moment: Moment) -> Bool {
    guard records.ownership(of: number) == .familyShared, access(by: number).standing(at: moment)?.grants == true else {
      return false
    }
    let purchases = linkedPurchases(of: number)
    return purchases.contains { isRefunded($0, before: moment) && isBehind($0, number) }
      && !purchases.contains { access(by: $0).standing(at: moment)?.grants == true }
  }

  /// The purchases that too many people share, of those lineages that a record is the first of.
  func crowds(first number: RecordNumber) -> [LeakReport.Crowd] {
    let own = records.packed(number).lineage
    if own.isNone { return [] }
    // A lineage that has transactions of its own is looked at with the first of those.
    let linked = records.links(of: number).filter { records.records(of: $0).isEmpty }
    return ([own] + linked).filter { records.isFirst(number, of: $0) }.compactMap { purchase in
      let people = peopleSharing(purchase)
      return people > Ledger.familySize ? LeakReport.Crowd(purchase: records.id(of: purchase).id, people: people) : nil
    }
  }
}
