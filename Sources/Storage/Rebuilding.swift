import Entitlements
import Platform

/// Whose entitlements a rebuild folds again.
package enum RebuildScope: Hashable, Sendable {
  case customer(CustomerID)
  /// Everyone whose answers rest on a lineage.
  case lineage(ScopedID)
  case everyone
}

/// A compiled answer that wasn't what the history says.
package struct Correction: Hashable, Sendable {
  package var customer: CustomerID
  /// Nil: every entitlement that the customer's transactions couldn't grant; whether the customer is known was wrong.
  package var entitlement: Identifier?
  /// The first moment at which the two answers differ, in milliseconds since 1970.
  package var moment: Int64
  package var before: AccessBlock.Answer
  package var after: AccessBlock.Answer
}

/// How far a rebuild has come.
package struct RebuildStep: Sendable {
  package var customers = 0
  package var customersTotal = 0
  package var transactions = 0
  /// Since the step before.
  package var corrections: [Correction] = []
}

extension EntitlementStore {
  /// Throws away the compiled answers and folds them again from history, while checks and recordings go on.
  ///
  /// Checks wait for nothing: each customer's answers are replaced by one store to memory. A recording waits for 0.03 ms at most
  /// and the fold of one customer.
  /// - Parameters:
  ///   - isDryRun: reports the corrections and makes none.
  ///   - progress: called twice a second, and once at the end; returns false to give up.
  /// - Throws: `.busy` while another rebuild of everyone is under way, `.givenUp`, `.closed` when the store closes meanwhile.
  package func rebuild(
    _ scope: RebuildScope, isDryRun: Bool, turns: Turns = Turns(), progress: (RebuildStep) -> Bool
  ) throws(StoreError) {
    guard scope == .everyone else { return try refold(scope, isDryRun: isDryRun, turns, progress) }
    try exclusively(.rebuildOfEveryone) { () throws(StoreError) in
      try refold(scope, isDryRun: isDryRun, turns, progress)
    }
  }

  private func refold(
    _ scope: RebuildScope, isDryRun: Bool, _ turns: Turns, _ progress: (RebuildStep) -> Bool
  ) throws(StoreError) {
    var rebuild = Rebuild(of: self, isDryRun: isDryRun, turns)
    switch scope {
    case .customer(let customer): try rebuild.refold([customer], progress)
    case .lineage(let lineage):
      try rebuild.refold(read { ledger, _ in ledger.customers(concernedBy: lineage).sorted() }, progress)
    case .everyone: try rebuild.refoldEveryone(progress)
    }
    try rebuild.report.send(progress)
  }
}

/// A rebuild under way.
private struct Rebuild {
  let store: EntitlementStore
  let isDryRun: Bool
  let turns: Turns
  var report: RebuildReport
  /// How many who hold something were found without answers, and left so.
  private var missing = 0

  init(of store: EntitlementStore, isDryRun: Bool, _ turns: Turns) {
    (self.store, self.isDryRun, self.turns) = (store, isDryRun, turns)
    report = RebuildReport(now: turns.now)
  }

  /// Folds customers.
  mutating func refold(_ customers: [CustomerID], _ progress: (RebuildStep) -> Bool) throws(StoreError) {
    report.step.customersTotal += customers.count
    try takeTurns(customers[...], progress) { rebuild, customer, state in rebuild.refold(customer, in: &state) }
  }

  /// Folds everyone: those who hold something, those who were given something, and those who have answers and neither.
  ///
  /// Who comes to hold something meanwhile may be left out: the recording folded them.
  mutating func refoldEveryone(_ progress: (RebuildStep) -> Bool) throws(StoreError) {
    let (end, given, count) = store.read { ledger, _ in (ledger.customerNumberEnd, ledger.givenAlone, ledger.customerCount) }
    report.step.customersTotal = count - given.count
    try takeTurns(0..<end, progress) { rebuild, number, state in rebuild.refold(customerNumbered: number, in: &state) }
    try refold(given, progress)
    try refold(strangers(progress), progress)
  }

  /// Who has answers, and holds nothing and was given nothing.
  ///
  /// All others have answers by now, but for those that are missing. So where there are as many answers as that makes, nobody has any
  /// who shouldn't, and they needn't be looked at.
  private mutating func strangers(_ progress: (RebuildStep) -> Bool) throws(StoreError) -> [CustomerID] {
    let (cache, missing) = (store.cache, missing)
    let areAllKnown = store.read { ledger, _ in cache.customerCount == ledger.customerCount - missing }
    if areAllKnown { return [] }
    var strangers: [CustomerID] = []
    for shard in 0..<EntitlementCache.shardCount {
      try takeTurns(cache.customers(inShard: shard)[...], progress) { _, customer, state in
        if !state.ledger.holdsSomething(customer), state.ledger.grants[customer] == nil { strangers.append(customer) }
      }
    }
    return strangers
  }

  private mutating func takeTurns<Rest: Collection>(
    _ all: Rest, _ progress: (RebuildStep) -> Bool, _ body: (inout Rebuild, Rest.Element, inout StoreState) -> Void
  ) throws(StoreError) where Rest.SubSequence == Rest {
    let (turns, store) = (turns, store)
    var rest = all
    while !rest.isEmpty {
      try turns.take(from: &rest, of: store) { element, state in body(&self, element, &state) }
      try report.sendIfDue(progress)
    }
  }

  private mutating func refold(customerNumbered number: Int, in state: inout StoreState) {
    guard let customer = state.writer.write(customerNumbered: number, of: state.ledger, store.cache.names) else { return }
    report.step.transactions += state.ledger.holdingCount(ofCustomerNumbered: number)
    compare(state.writer.words, of: customer, state.revision)
  }

  private mutating func refold(_ customer: CustomerID, in state: inout StoreState) {
    let isKnown = state.writer.write(customer, of: state.ledger, store.cache.names)
    report.step.transactions += state.ledger.holdingCount(of: customer)
    compare(isKnown ? state.writer.words : nil, of: customer, state.revision)
  }

  /// Compares the answers of a customer with those that are published, and corrects these.
  private mutating func compare(_ words: [UInt64]?, of customer: CustomerID, _ revision: UInt64) {
    let cache = store.cache
    report.step.customers += 1
    if cache.hasWhileWriting(words, of: customer) { return }
    let before = cache.wordsWhileWriting(of: customer)
    report.step.corrections += cache.corrections(of: customer, to: words)
    if isDryRun {
      if before == nil { missing += 1 }
      return
    }
    let change = PublishedChange(customer: customer, before: before, after: words)
    store.publications.append([change], revision: revision)
    cache.publish([EntitlementCache.Change(change)], revision: revision)
  }
}

/// Tells whoever asked for a rebuild how far it is, by the clock.
private struct RebuildReport {
  var step = RebuildStep()
  private let now: () -> UInt64
  private var lastSent: UInt64

  private static let intervalNanoseconds: UInt64 = 500_000_000
  /// How many corrections are kept before they are sent, whatever the clock says.
  private static let correctionLimit = 16_384

  init(now: @escaping () -> UInt64) {
    self.now = now
    lastSent = now()
  }

  mutating func sendIfDue(_ progress: (RebuildStep) -> Bool) throws(StoreError) {
    guard step.corrections.count >= RebuildReport.correctionLimit || now() - lastSent >= RebuildReport.intervalNanoseconds
    else { return }
    try send(progress)
  }

  mutating func send(_ progress: (RebuildStep) -> Bool) throws(StoreError) {
    guard progress(step) else { throw .givenUp }
    step.corrections = []
    lastSent = now()
  }
}

extension EntitlementCache {
  /// Where a customer's compiled answers differ from those that a fresh fold gave; one at least. On the thread that writes.
  fileprivate func corrections(of customer: CustomerID, to words: [UInt64]?) -> [Correction] {
    unsafe withBlockWhileWriting(of: customer) { before in
      unsafe withBlock(of: words) { after in
        let named = unsafe corrections(of: customer, from: before, to: after)
        guard named.isEmpty else { return named }
        // No entitlement has a name that could be answered otherwise, so what was wrong is who is known.
        return [
          Correction(
            customer: customer, entitlement: nil, moment: 0, before: unsafe before == nil ? .unknownCustomer : .neverOwned,
            after: unsafe after == nil ? .unknownCustomer : .neverOwned)
        ]
      }
    }
  }

  private func corrections(of customer: CustomerID, from before: AccessBlock?, to after: AccessBlock?) -> [Correction] {
    let numbers = unsafe Set((before?.names ?? []) + (after?.names ?? []))
    let moments = unsafe Set((before?.boundaries ?? [0]) + (after?.boundaries ?? [0])).sorted()
    return numbers.compactMap { number in
      for moment in moments {
        let old = unsafe before?.answer(name: number, at: moment) ?? .unknownCustomer
        let new = unsafe after?.answer(name: number, at: moment) ?? .unknownCustomer
        guard old != new else { continue }
        return Correction(customer: customer, entitlement: names.name(of: number), moment: moment, before: old, after: new)
      }
      return nil
    }
  }
}
