import Entitlements

/// The answers that one input changed, on their way into the cache: all of them at once.
struct Publication {
  let cache: EntitlementCache
  /// Nil before anybody can watch.
  let log: PublicationLog?
  let revision: UInt64
  private var changes: [PublishedChange] = []
  private(set) var accessChanges: [AccessChange] = []

  /// How many customers are told to watchers at once when everyone is folded.
  private static let customersInPart = 256

  init(cache: EntitlementCache, log: PublicationLog?, revision: UInt64) {
    self.cache = cache
    self.log = log
    self.revision = revision
  }

  /// Folds a customer anew, and notes what differs from the answers that the cache has.
  mutating func fold(_ customer: CustomerID, in state: inout StoreState, changesAt moment: Moment? = nil) {
    let isKnown = state.writer.write(customer, of: state.ledger, cache.names)
    note(customer, isKnown ? state.writer.words : nil, changesAt: moment)
  }

  private mutating func note(_ customer: CustomerID, _ words: [UInt64]?, changesAt moment: Moment? = nil) {
    unsafe cache.withBlockWhileWriting(of: customer) { block in
      if unsafe AccessBlock.isMade(block, of: words) { return }
      unsafe changes.append(PublishedChange(customer: customer, before: block?.words, after: words))
      guard let moment else { return }
      accessChanges += unsafe AccessBlock.with(words) { after in
        unsafe AccessChange.between(block, after, of: customer, at: moment, cache.names)
      }
    }
  }

  /// Folds everyone anew, and makes each customer's answers visible soon, while checks go on; the revision becomes visible when
  /// all is published.
  ///
  /// - Parameter progress: told now and then how many were folded.
  mutating func foldEveryone(in state: inout StoreState, progress: (Int) -> Void = { _ in }) {
    var count = 0
    for number in 0..<state.ledger.customerNumberEnd {
      guard let customer = state.writer.write(customerNumbered: number, of: state.ledger, cache.names) else { continue }
      note(customer, state.writer.words)
      count += 1
      if publishPart(of: Publication.customersInPart) { progress(count) }
    }
    for customer in state.ledger.givenAlone {
      fold(customer, in: &state)
      count += 1
      if publishPart(of: Publication.customersInPart) { progress(count) }
    }
    publishPart(of: 1)
  }

  /// Publishes what changed, if that is so much; says whether it was.
  @discardableResult
  private mutating func publishPart(of limit: Int) -> Bool {
    if changes.count < limit { return false }
    log?.append(changes, revision: revision, isWhole: false)
    for change in changes { cache.publish([EntitlementCache.Change(change)], revision: cache.revision) }
    changes = []
    return true
  }

  /// Makes it all visible. The log comes first, as it asks.
  func publish() {
    log?.append(changes, revision: revision)
    cache.publish(changes.map { EntitlementCache.Change($0) }, revision: revision)
  }
}

extension EntitlementCache.Change {
  init(_ change: PublishedChange) { self.init(customer: change.customer, words: change.after) }
}
