import Entitlements

/// The page that says what Latchkey decides, read word by word and computed by brute force: every question goes through all
/// recordings again.
///
/// It takes from the ledger under test only who holds what and which links stand, which depend on the order of arrival.
struct NaiveReading {
  var settings: Settings
  var catalog: Catalog
  var holders: [ScopedID: [CustomerID]] = [:]
  var links: [ScopedID: [Identifier]] = [:]
  private var versions: [ScopedID: [Transaction]] = [:]
  private var marks: [ScopedID: [(date: Moment, beside: Moment)]] = [:]
  private var infos: [ScopedID: [RenewalInfo]] = [:]

  private let words: [Granting]

  init(of recordings: [Recording], _ words: [Granting], held ledger: Ledger) {
    self.words = words
    (settings, catalog) = (ledger.settings, ledger.catalog)
    for record in ledger.records { (holders[record.key], links[record.key]) = (record.holders, record.links) }
    for recording in recordings {
      for row in recording.rows {
        var version = row.transaction
        version.environment = version.environment ?? settings.environment
        let key = ScopedID(version.environment ?? settings.environment, version.transactionID)
        versions[key, default: []].append(version)
        if let mark = row.revokeMark { marks[key, default: []].append((mark, version.signedDate)) }
      }
      for renewal in recording.renewalInfos {
        let beside = recording.rows.first { $0.transaction.originalTransactionID == renewal.info.originalTransactionID }
        let environment = renewal.info.environment ?? beside?.transaction.environment ?? settings.environment
        infos[ScopedID(environment, renewal.info.originalTransactionID), default: []].append(renewal.info)
      }
    }
    newest = versions.mapValues { versions in versions.reduce(versions[0]) { NaiveReading.isNewer($1, than: $0) ? $1 : $0 } }
  }

  // MARK: - Words

  /// The newest version of each transaction.
  private(set) var newest: [ScopedID: Transaction] = [:]

  private static func isNewer(_ one: Transaction, than other: Transaction) -> Bool {
    if one.signedDate != other.signedDate { return one.signedDate > other.signedDate }
    switch (one.revocationDate, other.revocationDate) {
    case (let mine?, let theirs?) where mine != theirs: return mine < theirs
    case (_?, nil): return true
    case (nil, _?): return false
    default: break
    }
    if one.isUpgraded != other.isUpgraded { return one.isUpgraded }
    let (mine, theirs) = (one.expiresDate?.milliseconds ?? -1, other.expiresDate?.milliseconds ?? -1)
    // The comparison of their bytes is left to the code under test: the page only says that it is fixed.
    return mine != theirs ? mine > theirs : one.order(over: other) == .newer
  }

  private func key(_ t: Transaction) -> ScopedID { ScopedID(t.environment ?? settings.environment, t.transactionID) }
  private func lineageID(_ t: Transaction) -> ScopedID {
    ScopedID(t.environment ?? settings.environment, t.originalTransactionID)
  }
  private func lineage(_ id: ScopedID) -> [Transaction] { newest.values.filter { lineageID($0) == id } }

  private func renewalInfo(_ t: Transaction) -> RenewalInfo? {
    infos[lineageID(t)]?.max { one, other in
      if one.signedDate != other.signedDate { return one.signedDate < other.signedDate }
      let (mine, theirs) = (one.gracePeriodExpiresDate?.milliseconds ?? -1, other.gracePeriodExpiresDate?.milliseconds ?? -1)
      if mine != theirs { return mine < theirs }
      return !one.isInBillingRetryPeriod && other.isInBillingRetryPeriod
    }
  }

  private func type(_ t: Transaction) -> ProductType? {
    t.type ?? catalog.products[t.productID]?.type ?? (t.expiresDate != nil ? .autoRenewableSubscription : nil)
  }

  private func entitlements(_ t: Transaction) -> Set<Identifier> {
    Set(catalog.products[t.productID]?.entitlements ?? []).union([t.productID])
  }

  private func fulfilsRule1(_ t: Transaction) -> Bool {
    let known: [ProductType?] = [.nonConsumable, .autoRenewableSubscription, .nonRenewingSubscription]
    return known.contains(type(t)) && (t.ownership == .purchased || t.ownership == .familyShared)
  }

  /// When it is revoked: by its own date, else by the earliest mark that no later version overrules.
  private func revoked(_ t: Transaction) -> Moment? {
    if let date = t.revocationDate { return date }
    let known = (versions[key(t)] ?? []).map(\.signedDate)
    let counting = (marks[key(t)] ?? []).filter { mark in !known.contains { $0 > mark.date && $0 > mark.beside } }
    return counting.map(\.date).min()
  }

  private func hasLatestExpiry(_ t: Transaction) -> Bool {
    guard let expires = t.expiresDate, !t.isUpgraded else { return false }
    return !lineage(lineageID(t)).contains { !$0.isUpgraded && $0.expiresDate.map { $0 > expires } ?? false }
  }

  /// When it is over by rule 6; nil if never.
  private func end(_ t: Transaction) -> Moment? {
    switch type(t) {
    case .autoRenewableSubscription:
      guard let expires = t.expiresDate else { return .distantPast }
      guard hasLatestExpiry(t), let info = renewalInfo(t), let purchase = t.purchaseDate, info.signedDate >= purchase,
        let grace = info.gracePeriodExpiresDate
      else { return expires }
      return max(expires, grace)
    case .nonRenewingSubscription:
      guard let period = catalog.products[t.productID]?.accessPeriod, let purchase = t.purchaseDate else { return nil }
      // The catalog of these histories counts in days alone.
      return Moment(milliseconds: purchase.milliseconds + period.days * 86_400_000)
    default: return nil
    }
  }

  private func begins(_ t: Transaction) -> Moment? { t.purchaseDate?.earlier(byMilliseconds: settings.clockSkewMilliseconds) }

  private func fulfilsRules1To6(_ t: Transaction, at moment: Moment) -> Bool {
    guard fulfilsRule1(t), let begins = begins(t), moment >= begins, !t.isUpgraded else { return false }
    return revoked(t).map { moment < $0 } ?? true && end(t).map { moment < $0 } ?? true
  }

  // MARK: - Family

  private func periodsOverlap(_ one: Transaction, _ other: Transaction) -> Bool {
    guard fulfilsRule1(one), fulfilsRule1(other), let mine = one.purchaseDate, let theirs = other.purchaseDate else {
      return false
    }
    let (myEnd, theirEnd) = (end(one) ?? .distantFuture, end(other) ?? .distantFuture)
    return mine < myEnd && theirs < theirEnd && mine < theirEnd && theirs < myEnd
  }

  private func heldTogether(_ t: Transaction) -> [Transaction] {
    let shared = lineage(lineageID(t)).filter { $0.ownership == .familyShared }
    guard Set(shared.compactMap(\.appTransactionID)).count > 1 else { return shared }
    return t.appTransactionID == nil ? [t] : shared.filter { $0.appTransactionID == t.appTransactionID }
  }

  private func linkedPurchases(_ t: Transaction) -> [Transaction] {
    let named = heldTogether(t).flatMap { links[key($0)] ?? [] } + [t.originalTransactionID]
    return newest.values.filter { other in
      other.ownership == .purchased && other.environment == t.environment && named.contains(other.originalTransactionID)
        && !entitlements(other).isDisjoint(with: entitlements(t))
    }
  }

  private func refundBehind(_ t: Transaction, at moment: Moment) -> Moment? {
    guard t.ownership == .familyShared else { return nil }
    let purchases = linkedPurchases(t)
    guard !purchases.contains(where: { fulfilsRules1To6($0, at: moment) }) else { return nil }
    let refunds = purchases.filter { purchase in
      !purchase.isUpgraded && purchase.revocationReason != .upgradedToBundle && periodsOverlap(purchase, t)
    }
    return refunds.compactMap(\.revocationDate).filter { $0 <= moment }.min()
  }

  // MARK: - Reasons

  struct Standing {
    var transaction: Transaction
    var reason: Reason
    var ended: Moment?
  }

  private func standing(_ t: Transaction, at moment: Moment) -> Standing? {
    func stands(_ reason: Reason, _ ended: Moment? = nil) -> Standing { Standing(transaction: t, reason: reason, ended: ended) }
    guard t.ownership == .purchased || t.ownership == .familyShared else { return nil }
    if type(t) == .consumable { return stands(.consumable) }
    guard fulfilsRule1(t), t.ownership == .purchased || type(t) != .nonRenewingSubscription else { return nil }
    if t.isUpgraded { return stands(.upgraded) }
    guard let begins = begins(t), moment >= begins else { return stands(.notYetValid) }
    let revocation = revoked(t).map { (moment: $0, reason: revocationReason(t)) }
    let refund = refundBehind(t, at: moment).map { (moment: $0, reason: Reason.sharedPurchaseRefunded) }
    let over = end(t).map { (moment: $0, reason: endReason(t)) }
    let denials = [revocation, refund, over].compactMap { $0 }.filter { $0.moment <= moment }
    if let earliest = denials.map(\.moment).min(), let first = denials.first(where: { $0.moment == earliest }) {
      return stands(first.reason, first.moment)
    }
    if type(t) == .autoRenewableSubscription, let expires = t.expiresDate, moment >= expires { return stands(.gracePeriod) }
    return stands(t.ownership == .purchased ? .purchased : .familyShared)
  }

  private func revocationReason(_ t: Transaction) -> Reason {
    if t.revocationDate != nil, t.revocationReason == .upgradedToBundle { return .upgraded }
    if t.ownership == .purchased { return .refunded }
    return t.revocationType == .familyRevoke || t.revocationDate == nil ? .familyAccessEnded : .sharedPurchaseRefunded
  }

  private func endReason(_ t: Transaction) -> Reason {
    let retrying = renewalInfo(t)?.isInBillingRetryPeriod == true
    return type(t) == .autoRenewableSubscription && hasLatestExpiry(t) && retrying ? .billingRetry : .expired
  }

  // MARK: - Manual grants

  private struct Grant {
    var entitlement: Identifier
    var from: Moment
    var end: Moment
  }

  /// What operators gave a customer, each with the end that is left after what they took back later.
  private func grants(of customer: CustomerID) -> [Grant] {
    words.indices.compactMap { index in
      let word = words[index]
      guard word.customer == customer, case .give(let from, let until) = word.act,
        !words[..<index].contains(where: { repeats($0, word) })
      else { return nil }
      let ends = words[index...].compactMap { later -> Moment? in
        guard later.customer == customer, later.entitlement == word.entitlement, case .takeBack(let at) = later.act else {
          return nil
        }
        return at
      }
      return Grant(entitlement: word.entitlement, from: from, end: (ends + [until ?? .distantFuture]).min() ?? .distantFuture)
    }
  }

  private func repeats(_ one: Granting, _ other: Granting) -> Bool {
    one.customer == other.customer && one.entitlement == other.entitlement && one.by == other.by && one.act == other.act
  }

  // MARK: - The answer

  func decision(_ customer: CustomerID, _ entitlement: Identifier, at moment: Moment) -> Decision {
    let held = newest.values.filter { holders[key($0)]?.contains(customer) == true }
    let given = grants(of: customer)
    guard !held.isEmpty || !given.isEmpty else { return .denied(.unknownCustomer) }
    let standings = held.filter { entitlements($0).contains(entitlement) }.compactMap { standing($0, at: moment) }
    return decision(standings, given.filter { $0.entitlement == entitlement }, at: moment)
  }

  private func decision(_ standings: [Standing], _ given: [Grant], at moment: Moment) -> Decision {
    func precedes(_ one: Transaction, _ other: Transaction) -> Bool {
      if one.ownership != other.ownership { return one.ownership == .purchased }
      return Int(one.transactionID.text) ?? 0 > Int(other.transactionID.text) ?? 0
    }
    let grants = standings.filter(\.reason.allows).map { ($0, until: validUntil($0.transaction, after: moment)) }
    let longest = grants.sorted { one, other in
      one.until != other.until ? one.until > other.until : precedes(one.0.transaction, other.0.transaction)
    }
    let open = given.filter { $0.from <= moment && moment < $0.end }.map(\.end).max()
    if let open, longest.first.map({ $0.until < open }) ?? true { return Decision(reason: .manualGrant, validUntil: open) }
    if let (standing, until) = longest.first {
      return Decision(reason: standing.reason, validUntil: until, ownership: standing.transaction.ownership)
    }
    let ended = standings.filter { $0.ended != nil }.sorted { one, other in
      let (mine, theirs) = (one.ended ?? .distantPast, other.ended ?? .distantPast)
      return mine != theirs ? mine > theirs : precedes(one.transaction, other.transaction)
    }
    if let over = given.filter({ $0.end <= moment }).map(\.end).max(), ended.first.flatMap(\.ended).map({ $0 < over }) ?? true {
      return .denied(.grantEnded)
    }
    if let last = ended.first { return .denied(last.reason) }
    let reasons = standings.map(\.reason) + given.map { _ in .notYetValid }
    let never = [Reason.notYetValid, .upgraded, .consumable].first { reasons.contains($0) }
    return .denied(never ?? .neverOwned)
  }

  /// The first of all moments at which anything can change where this one no longer grants.
  private func validUntil(_ t: Transaction, after moment: Moment) -> Moment {
    RandomHistory.moments.first { $0 > moment && standing(t, at: $0)?.reason.allows != true } ?? .distantFuture
  }
}
