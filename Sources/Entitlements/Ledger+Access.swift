// The fold's reading of the ledger: from a record and what surrounds it to the moments that decide for it.

extension Ledger {
  /// What is known of a lineage as a whole.
  struct LineageState {
    /// Among its transactions that aren't upgraded, revoked ones included.
    var latestExpiry: Moment?
    var renewalInfo: RenewalInfo?
  }

  func state(of lineage: ScopedID) -> LineageState {
    guard let known = lineages[lineage] else { return LineageState() }
    var latest: Moment?
    for number in known.records where !records[number].transaction.isUpgraded {
      guard let expires = records[number].transaction.expiresDate else { continue }
      latest = max(latest ?? expires, expires)
    }
    return LineageState(latestExpiry: latest, renewalInfo: renewalInfo(of: lineage))
  }

  /// The type that counts: the transaction's; where it is missing the catalog's, else auto-renewable if there is an expiry.
  func effectiveType(of transaction: Transaction) -> ProductType? {
    transaction.type ?? catalog.products[transaction.productID]?.type
      ?? (transaction.expiresDate == nil ? nil : .autoRenewableSubscription)
  }

  /// What a record gives, as a function of time.
  package func access(by number: RecordNumber) -> TransactionAccess {
    access(by: number, in: state(of: records[number].lineage))
  }

  func access(by number: RecordNumber, in lineage: LineageState) -> TransactionAccess {
    TransactionAccess(
      transactionID: records[number].transaction.transactionID, ownership: records[number].transaction.ownership,
      kind: kind(of: records[number], number, in: lineage))
  }

  private func kind(of record: Record, _ number: RecordNumber, in lineage: LineageState) -> TransactionAccess.Kind {
    if case .other = record.transaction.ownership { return .nothing }
    switch effectiveType(of: record.transaction) {
    case nil, .other: return .nothing
    case .consumable: return .consumable
    case .nonRenewingSubscription where record.transaction.ownership == .familyShared: return .nothing
    default: break
    }
    if record.transaction.isUpgraded { return .upgraded }
    var times = times(of: record, in: lineage)
    if record.transaction.ownership == .familyShared { times.sharedRefund = sharedRefund(behind: number, in: lineage) }
    return .timed(times)
  }

  private func times(of record: Record, in lineage: LineageState) -> TransactionAccess.Times {
    let end = end(of: record.transaction, in: lineage)
    return TransactionAccess.Times(
      start: record.transaction.purchaseDate?.earlier(byMilliseconds: settings.clockSkewMilliseconds) ?? .distantFuture,
      expires: end.expires, end: end.end, endReason: end.reason, revocation: revocation(of: record))
  }

  /// When a transaction is over: with grace where the lineage's newest renewal info gives it to this very period.
  private func end(of transaction: Transaction, in lineage: LineageState) -> (expires: Moment, end: Moment, reason: Reason) {
    switch effectiveType(of: transaction) {
    case .autoRenewableSubscription:
      guard let expires = transaction.expiresDate else { return (.distantPast, .distantPast, .expired) }
      guard !transaction.isUpgraded, expires == lineage.latestExpiry, let info = lineage.renewalInfo else {
        return (expires, expires, .expired)
      }
      var end = expires
      if let purchase = transaction.purchaseDate, info.signedDate >= purchase, let grace = info.gracePeriodExpiresDate {
        end = max(expires, grace)
      }
      return (expires, end, info.isInBillingRetryPeriod ? .billingRetry : .expired)
    case .nonRenewingSubscription:
      guard let period = catalog.products[transaction.productID]?.accessPeriod, let purchase = transaction.purchaseDate else {
        return (.distantFuture, .distantFuture, .expired)
      }
      let end = period.end(from: purchase)
      return (end, end, .expired)
    default:
      return (.distantFuture, .distantFuture, .expired)
    }
  }

  /// From when a transaction is revoked, and for what reason.
  private func revocation(of record: Record) -> TransactionAccess.Ending? {
    guard let moment = record.revokedFrom else { return nil }
    let transaction = record.transaction
    let reason: Reason
    if transaction.revocationDate != nil, transaction.revocationReason == .upgradedToBundle {
      reason = .upgraded
    } else if transaction.ownership != .familyShared {
      reason = .refunded
    } else {
      let departed = transaction.revocationDate == nil || transaction.revocationType == .familyRevoke
      reason = departed ? .familyAccessEnded : .sharedPurchaseRefunded
    }
    return TransactionAccess.Ending(moment: moment, reason: reason)
  }
}

// MARK: - The purchase behind a shared transaction

extension Ledger {
  /// The lineages that stand behind a shared transaction: those that callers named for what it is held together with, and its
  /// own, where a purchase has the same original transaction id.
  package func linkedLineages(of number: RecordNumber) -> [ScopedID] {
    let record = records[number]
    var links: Set<Identifier> = [record.transaction.originalTransactionID]
    for member in membersHeldTogether(with: number) { links.formUnion(records[member].links) }
    return links.sorted().map { ScopedID(record.environment, $0) }
  }

  /// The recorded purchases behind a shared transaction whose product grants something that its own product grants.
  package func linkedPurchases(of number: RecordNumber) -> [RecordNumber] {
    let granted = Set(catalog.entitlements(ofProduct: records[number].transaction.productID))
    return linkedLineages(of: number).flatMap { lineage in
      (lineages[lineage]?.records ?? []).filter { other in
        let transaction = records[other].transaction
        return transaction.ownership == .purchased
          && !granted.isDisjoint(with: catalog.entitlements(ofProduct: transaction.productID))
      }
    }
  }

  /// The refund of what stands behind a shared transaction; nil without positive evidence of one.
  private func sharedRefund(behind number: RecordNumber, in lineage: LineageState) -> TransactionAccess.SharedRefund? {
    let purchases = linkedPurchases(of: number)
    guard purchases.contains(where: { records[$0].transaction.revocationDate != nil }),
      let period = period(of: number, in: lineage)
    else { return nil }
    var states: [ScopedID: LineageState] = [:]
    for purchase in purchases {
      states[records[purchase].lineage] = states[records[purchase].lineage] ?? state(of: records[purchase].lineage)
    }

    var refunded: Moment?
    var backing: [Range<Moment>] = []
    for purchase in purchases {
      let state = states[records[purchase].lineage] ?? LineageState()
      if let date = refundDate(of: purchase), let other = self.period(of: purchase, in: state), other.overlaps(period) {
        refunded = min(refunded ?? date, date)
      }
      if case .timed(let times) = access(by: purchase, in: state).kind {
        let end = min(times.end, times.revocation?.moment ?? .distantFuture)
        if times.start < end { backing.append(times.start..<end) }
      }
    }
    guard let refunded else { return nil }
    return TransactionAccess.SharedRefund(moment: refunded, unbacked: gaps(between: backing, from: refunded))
  }

  /// The revocation date of a purchase that was refunded: only that is evidence.
  private func refundDate(of number: RecordNumber) -> Moment? {
    let transaction = records[number].transaction
    guard !transaction.isUpgraded, transaction.revocationReason != .upgradedToBundle else { return nil }
    return transaction.revocationDate
  }

  /// From the purchase date to the end, grace included; clock skew and revocation aside.
  func period(of number: RecordNumber, in lineage: LineageState) -> Range<Moment>? {
    let transaction = records[number].transaction
    switch effectiveType(of: transaction) {
    case nil, .other, .consumable: return nil
    default: break
    }
    guard let purchase = transaction.purchaseDate else { return nil }
    let end = end(of: transaction, in: lineage).end
    return purchase < end ? purchase..<end : nil
  }

  /// What these ranges leave open from a moment on, in order.
  private func gaps(between ranges: [Range<Moment>], from moment: Moment) -> [Range<Moment>] {
    var gaps: [Range<Moment>] = []
    var open = moment
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > open {
      if range.lowerBound > open { gaps.append(open..<range.lowerBound) }
      open = range.upperBound
    }
    if open < .distantFuture { gaps.append(open..<Moment.distantFuture) }
    return gaps
  }
}
