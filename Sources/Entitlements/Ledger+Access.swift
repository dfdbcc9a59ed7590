// The fold's reading of the ledger: from a record and what surrounds it to the moments that decide for it.

extension Ledger {
  /// What is known of a lineage as a whole.
  struct LineageState {
    /// Among its transactions that aren't upgraded, revoked ones included.
    var latestExpiry: Moment?
    /// What decides of its renewal info.
    var renewal: RenewalState?
  }

  /// What the fold reads of a renewal info.
  struct RenewalState {
    var signedDate: Moment
    var gracePeriodExpiresDate: Moment?
    var isInBillingRetryPeriod: Bool
  }

  func state(of lineage: LineageNumber) -> LineageState {
    if lineage.isNone { return LineageState() }
    var latest: Moment?
    records.forEachRecord(of: lineage) { number in
      guard let expires = records.expiresDate(of: number), latest.map({ $0 < expires }) ?? true else { return }
      if !records.isUpgraded(number) { latest = expires }
    }
    return LineageState(latestExpiry: latest, renewal: renewalState(of: lineage))
  }

  private func renewalState(of lineage: LineageNumber) -> RenewalState? {
    renewalInfo(of: lineage).map { info in
      RenewalState(
        signedDate: info.signedDate, gracePeriodExpiresDate: info.gracePeriodExpiresDate,
        isInBillingRetryPeriod: info.isInBillingRetryPeriod)
    }
  }

  /// The type that counts: the transaction's; where it is missing the catalog's, else auto-renewable if there is an expiry.
  func effectiveType(of transaction: Transaction) -> ProductType? {
    effectiveType(transaction.type, of: transaction.productID, expires: transaction.expiresDate)
  }

  private func effectiveType(of number: RecordNumber) -> ProductType? {
    effectiveType(records.type(of: number), of: records.productID(of: number), expires: records.expiresDate(of: number))
  }

  func effectiveType(
    _ type: ProductType?, of product: @autoclosure () -> Identifier, expires: Moment?
  ) -> ProductType? {
    type ?? catalog.products[product()]?.type ?? (expires == nil ? nil : .autoRenewableSubscription)
  }

  /// What a record gives, as a function of time.
  package func access(by number: RecordNumber) -> TransactionAccess {
    access(by: number, in: state(of: records.packed(number).lineage))
  }

  func access(by number: RecordNumber, in lineage: LineageState) -> TransactionAccess {
    let ownership = records.ownership(of: number)
    return TransactionAccess(
      transactionID: records.transactionID(of: number), isShared: ownership == .familyShared,
      kind: kind(of: number, ownership, in: lineage))
  }

  private func kind(of number: RecordNumber, _ ownership: Ownership, in lineage: LineageState) -> TransactionAccess.Kind {
    if case .other = ownership { return .nothing }
    let type = effectiveType(of: number)
    switch type {
    case nil, .other: return .nothing
    case .consumable: return .consumable
    case .nonRenewingSubscription where ownership == .familyShared: return .nothing
    default: break
    }
    if records.isUpgraded(number) { return .upgraded }
    let record = records.packed(number)
    let end = end(of: number, record, type, in: lineage)
    return .timed(
      TransactionAccess.Times(
        start: record.purchaseDate?.earlier(byMilliseconds: settings.clockSkewMilliseconds) ?? .distantFuture,
        expires: end.expires, end: end.end, endReason: end.reason, revocation: revocation(of: number, record),
        sharedRefund: ownership == .familyShared ? sharedRefund(behind: number, in: lineage) : nil))
  }

  private func end(
    of number: RecordNumber, _ record: PackedRecord, _ type: ProductType?, in lineage: LineageState
  ) -> (expires: Moment, end: Moment, reason: Reason) {
    switch type {
    case .autoRenewableSubscription:
      guard let expires = record.expiresDate else { return (.distantPast, .distantPast, .expired) }
      guard !records.isUpgraded(number), expires == lineage.latestExpiry, let renewal = lineage.renewal else {
        return (expires, expires, .expired)
      }
      var end = expires
      if let purchase = record.purchaseDate, renewal.signedDate >= purchase, let grace = renewal.gracePeriodExpiresDate {
        end = max(expires, grace)
      }
      return (expires, end, renewal.isInBillingRetryPeriod ? .billingRetry : .expired)
    case .nonRenewingSubscription:
      guard let period = catalog.products[records.productID(of: number)]?.accessPeriod, let purchase = record.purchaseDate else {
        return (.distantFuture, .distantFuture, .expired)
      }
      let end = period.end(from: purchase)
      return (end, end, .expired)
    default:
      return (.distantFuture, .distantFuture, .expired)
    }
  }

  /// From when a transaction is revoked, and for what reason.
  private func revocation(of number: RecordNumber, _ record: PackedRecord) -> TransactionAccess.Ending? {
    guard record.details != nil, let moment = records.revokedFrom(of: number) else { return nil }
    let (date, traits) = (records.revocationDate(of: number), records.traits(of: number))
    let reason: Reason
    if date != nil, traits.revocationReason == .upgradedToBundle {
      reason = .upgraded
    } else if traits.ownership != .familyShared {
      reason = .refunded
    } else {
      let departed = date == nil || traits.revocationType == .familyRevoke
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
    linkedLineageNumbers(of: number).map { records.id(of: $0) }
  }

  func linkedLineageNumbers(of number: RecordNumber) -> [LineageNumber] {
    let lineages = lineagesBehind(number)
    return lineages.count < 2 ? lineages : lineages.sorted { records.id(of: $0).id < records.id(of: $1).id }
  }

  /// The same in no order, which the fold has no need of.
  private func lineagesBehind(_ number: RecordNumber) -> [LineageNumber] {
    let own = records.packed(number).lineage
    if own.isNone { return [] }
    var lineages = DistinctNumbers<LineageNumber>()
    lineages.insert(own)
    for member in membersHeldTogether(with: number) { records.forEachLink(of: member) { lineages.insert($0) } }
    return lineages.numbers
  }

  /// The recorded purchases behind a shared transaction whose product grants something that its own product grants.
  package func linkedPurchases(of number: RecordNumber) -> [RecordNumber] {
    purchases(behind: number, in: linkedLineageNumbers(of: number))
  }

  private func purchases(behind number: RecordNumber, in lineages: [LineageNumber]) -> [RecordNumber] {
    let product = records.productID(of: number)
    var purchases: [RecordNumber] = []
    for lineage in lineages {
      records.forEachRecord(of: lineage) { other in
        guard records.ownership(of: other) == .purchased else { return }
        if catalog.grantsSomeOfTheSame(product, records.productID(of: other)) { purchases.append(other) }
      }
    }
    return purchases
  }

  /// The refund of what stands behind a shared transaction; nil without positive evidence of one.
  private func sharedRefund(behind number: RecordNumber, in lineage: LineageState) -> TransactionAccess.SharedRefund? {
    let purchases = purchases(behind: number, in: lineagesBehind(number))
    guard purchases.contains(where: { records.revocationDate(of: $0) != nil }),
      let period = period(of: number, in: lineage)
    else { return nil }
    var states = Remembered<LineageNumber, LineageState>()
    var refunded: Moment?
    var backing: [Range<Moment>] = []
    for purchase in purchases {
      let lineage = records.packed(purchase).lineage
      let state = states.value(of: lineage, otherwise: self.state(of: lineage))
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
    guard let date = records.revocationDate(of: number), !records.isUpgraded(number),
      records.revocationReason(of: number) != .upgradedToBundle
    else { return nil }
    return date
  }

  /// From the purchase date to the end, grace included; clock skew and revocation aside.
  func period(of number: RecordNumber, in lineage: LineageState) -> Range<Moment>? {
    let type = effectiveType(of: number)
    switch type {
    case nil, .other, .consumable: return nil
    default: break
    }
    let record = records.packed(number)
    guard let purchase = record.purchaseDate else { return nil }
    let end = end(of: number, record, type, in: lineage).end
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
