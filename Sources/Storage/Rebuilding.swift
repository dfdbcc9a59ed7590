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
    var report = RebuildReport(now: turns.now)
    var rest = try customers(in: scope, turns) { () throws(StoreError) in try report.sendIfDue(progress) }[...]
    report.step.customersTotal = rest.count
    while !rest.isEmpty {
      try turns.take(from: &rest, of: self) { customer, state in
        refold(customer, in: &state, isDryRun: isDryRun, &report.step)
      }
      try report.sendIfDue(progress)
    }
    try report.send(progress)
  }

  /// The customers of a scope: with everyone, also those who have answers but hold nothing.
  private func customers(
    in scope: RebuildScope, _ turns: Turns, between: () throws(StoreError) -> Void
  ) throws(StoreError) -> [CustomerID] {
    switch scope {
    case .customer(let customer): [customer]
    case .lineage(let lineage): read { ledger, _ in ledger.customers(concernedBy: lineage).sorted() }
    case .everyone: try everyone(turns, between: between)
    }
  }

  /// Folds a customer, and counts the transactions and the corrections.
  private func refold(_ customer: CustomerID, in state: inout StoreState, isDryRun: Bool, _ step: inout RebuildStep) {
    let access = state.ledger.access(of: customer)
    let words = access.map { AccessBlockWriter.words(of: $0, customer: customer, names: cache.names) }
    step.customers += 1
    step.transactions += state.ledger.holdingCount(of: customer)
    if cache.hasWhileWriting(words, of: customer) { return }
    let before = cache.wordsWhileWriting(of: customer)
    step.corrections += cache.corrections(of: customer, to: words)
    if isDryRun { return }
    let change = PublishedChange(customer: customer, before: before, after: words)
    publications.append([change], revision: state.revision)
    cache.publish([EntitlementCache.Change(change)], revision: state.revision)
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
