import Entitlements

/// The answers that one input changed, on their way into the cache: all of them at once.
struct Publication {
  let cache: EntitlementCache
  let revision: UInt64
  private var changes: [EntitlementCache.Change] = []
  private(set) var accessChanges: [AccessChange] = []

  init(cache: EntitlementCache, revision: UInt64) {
    self.cache = cache
    self.revision = revision
  }

  /// Folds a customer anew, and notes what differs from the answers that the cache has.
  mutating func fold(_ customer: CustomerID, in ledger: Ledger, changesAt moment: Moment? = nil) {
    let access = ledger.access(of: customer)
    let words = access.map { AccessBlockWriter.words(of: $0, customer: customer, names: cache.names) }
    unsafe cache.withBlockWhileWriting(of: customer) { block in
      if unsafe block?.words == words { return }
      changes.append(EntitlementCache.Change(customer: customer, words: words))
      if let moment { unsafe compare(block, access, of: customer, at: moment) }
    }
  }

  private mutating func compare(_ before: AccessBlock?, _ after: CustomerAccess?, of customer: CustomerID, at moment: Moment) {
    var entitlements = Set(after?.timelines.map(\.entitlement) ?? [])
    for number in unsafe before?.names ?? [] { entitlements.insert(cache.names.name(of: number)) }
    accessChanges += AccessChange.between(
      entitlements, of: customer,
      before: { entitlement in
        let number = cache.names.number(of: entitlement)
        return unsafe before?.answer(name: number, at: moment.milliseconds).reason ?? .unknownCustomer
      },
      after: { after?.decision(for: $0, at: moment).reason ?? .unknownCustomer })
  }

  /// Folds everyone anew, and makes each customer's answers visible at once, while checks go on; the revision becomes visible
  /// when all is published.
  mutating func foldEveryone(in ledger: Ledger) {
    for customer in ledger.everyone {
      fold(customer, in: ledger)
      cache.publish(changes, revision: cache.revision)
      changes = []
    }
  }

  /// Makes it all visible.
  func publish() { cache.publish(changes, revision: revision) }
}
