// The fold's reading of the ledger: from a record and what surrounds it to the moments that decide for it.

extension Ledger {
  /// What is known of a lineage as a whole.
  struct LineageState {
    /// Among its transactions that aren't upgraded, revoked ones included.
    var latestExpiry: Moment?
    /// What decides of its renewal info.
    var renewal: RenewalState?
    /// Whether something has a revocation date that may stand behind a transaction of the lineage: nothing else is evidence of a
    /// refund.
    var mayBeRefunded = false
  }

  /// What the fold reads of a renewal info.
  struct RenewalState {
    var signedDate: Moment
    var gracePeriodExpiresDate: Moment?
    var isInBillingRetryPeriod: Bool
  }

  func state(of lineage: LineageNumber) -> LineageState {
    var state = LineageState()
    if lineage.isNone { return state }
    var lastLink = LineageNumber.none
    for number in records.walk(lineage) {
      let record = records.packed(number)
      if let expires = record.expiresDate, state.latestExpiry.map({ $0 < expires }) ?? true,
        !records.traits[record.traits].isUpgraded
      {
        state.latestExpiry = expires
      }
      if state.mayBeRefunded { continue }
      state.mayBeRefunded = records.revocationDate(of: record) != nil
      // One link alone, the same as the record before has, tells nothing new.
      if record.link == lastLink, record.details == nil { continue }
      lastLink = record.link
      if hasRevokedLink(record) { state.mayBeRefunded = true }
    }
    state.renewal = renewalState(of: lineage)
    return state
  }

  private func hasRevokedLink(_ record: PackedRecord) -> Bool {
    if record.link.isNone { return false }
    if hasRevocationDate(record.link) { return true }
    guard let place = record.details else { return false }
    return records.details[place].otherLinks.contains { hasRevocationDate($0) }
  }

  /// Whether some transaction of a lineage has a revocation date.
  private func hasRevocationDate(_ lineage: LineageNumber) -> Bool {
    for number in records.walk(lineage) where records.revocationDate(of: records.packed(number)) != nil { return true }
    return false
  }

  private func renewalState(of lineage: LineageNumber) -> RenewalState? {
    guard let number = records.renewalInfoNumber(of: lineage) else { return nil }
    return renewalInfos[number].map { info in
      RenewalState(
        signedDate: info.signedDate, gracePeriodExpiresDate: info.gracePeriodExpiresDate,
        isInBillingRetryPeriod: info.isInBillingRetryPeriod)
    }
  }

  /// The type that counts: the transaction's; where it is missing the catalog's, else auto-renewable if there is an expiry.
  func effectiveType(of transaction: Transaction) -> ProductType? {
    effectiveType(transaction.type, of: transaction.productID, expires: transaction.expiresDate)
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
    let record = records.packed(number)
    let terms = terms(of: record)
    return TransactionAccess(
      transactionID: records.transactionID(of: number), isShared: terms.isShared,
      kind: kind(of: number, record, terms, in: lineage))
  }

  func kind(
    of number: RecordNumber, _ record: PackedRecord, _ terms: RecordTerms, in lineage: LineageState
  ) -> TransactionAccess.Kind {
    if terms.neverGrants { return .nothing }
    if terms.isSpent { return .consumable }
    if terms.isUpgraded { return .upgraded }
    return .timed(times(of: number, record, terms, in: lineage))
  }

  /// The moments that decide for a record of which others than moments decide that it can grant.
  func times(
    of number: RecordNumber, _ record: PackedRecord, _ terms: RecordTerms, in lineage: LineageState
  ) -> TransactionAccess.Times {
    let end = end(of: record, terms, in: lineage)
    return TransactionAccess.Times(
      start: record.purchaseDate?.earlier(byMilliseconds: settings.clockSkewMilliseconds) ?? .distantFuture,
      expires: end.expires, end: end.end, endReason: end.reason, revocation: revocation(of: record, terms),
      sharedRefund: terms.isShared && lineage.mayBeRefunded ? sharedRefund(behind: number, in: lineage) : nil)
  }

  private func end(
    of record: PackedRecord, _ terms: RecordTerms, in lineage: LineageState
  ) -> (expires: Moment, end: Moment, reason: Reason) {
    switch terms.lasting {
    case .untilExpiry:
      guard let expires = record.expiresDate else { return (.distantPast, .distantPast, .expired) }
      guard !terms.isUpgraded, expires == lineage.latestExpiry, let renewal = lineage.renewal else {
        return (expires, expires, .expired)
      }
      var end = expires
      if let purchase = record.purchaseDate, renewal.signedDate >= purchase, let grace = renewal.gracePeriodExpiresDate {
        end = max(expires, grace)
      }
      return (expires, end, renewal.isInBillingRetryPeriod ? .billingRetry : .expired)
    case .forPeriod(let period):
      guard let period, let purchase = record.purchaseDate else { return (.distantFuture, .distantFuture, .expired) }
      let end = period.end(from: purchase)
      return (end, end, .expired)
    case .unknown, .spent, .endless:
      return (.distantFuture, .distantFuture, .expired)
    }
  }

  /// From when a transaction is revoked, and for what reason.
  private func revocation(of record: PackedRecord, _ terms: RecordTerms) -> TransactionAccess.Ending? {
    if let date = records.revocationDate(of: record) { return TransactionAccess.Ending(moment: date, reason: terms.revocation) }
    guard let moment = records.revokedFrom(of: record) else { return nil }
    return TransactionAccess.Ending(moment: moment, reason: terms.undatedRevocation)
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
    let record = records.packed(number)
    let terms = terms(of: record)
    switch terms.lasting {
    case .unknown, .spent: return nil
    case .untilExpiry, .forPeriod, .endless: break
    }
    guard let purchase = record.purchaseDate else { return nil }
    let end = end(of: record, terms, in: lineage).end
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
