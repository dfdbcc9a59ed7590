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
  package var entitlement: Identifier
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
  /// How many customers are folded between two turns of the recordings.
  private static let rebuildSlice = 64
  /// How long a turn of the recordings is at least: enough for a thread to wake up.
  private static let recordingTurnNanoseconds: UInt64 = 100_000
  /// How many customers lie between two reports of progress: some slices.
  private static let reportEvery = 16_384

  /// Throws away the compiled answers and folds them again from history, while checks and recordings go on.
  ///
  /// - Parameters:
  ///   - isDryRun: reports the corrections and makes none.
  ///   - progress: called now and then, and once at the end; returns false to give up.
  /// - Throws: `.busy` while another long work is under way, `.closed` when the store closes meanwhile.
  package func rebuild(_ scope: RebuildScope, isDryRun: Bool, progress: (RebuildStep) -> Bool) throws(StoreError) {
    try exclusively("a rebuild") { () throws(StoreError) in
      let customers = customers(in: scope)
      var step = RebuildStep()
      step.customersTotal = customers.count
      for start in stride(from: 0, to: customers.count, by: EntitlementStore.rebuildSlice) {
        let slice = customers[start..<min(start + EntitlementStore.rebuildSlice, customers.count)]
        let (transactions, corrections) = refold(slice, isDryRun: isDryRun)
        step.customers += slice.count
        step.transactions += transactions
        step.corrections += corrections
        if isClosing.load(ordering: .acquiring) { throw .closed }
        letRecordingsIn()
        guard step.customers.isMultiple(of: EntitlementStore.reportEvery) else { continue }
        guard progress(step) else { return }
        step.corrections = []
      }
      _ = progress(step)
    }
  }

  /// The customers of a scope: with everyone, also those who have answers but hold nothing.
  private func customers(in scope: RebuildScope) -> [CustomerID] {
    state.withLock { state in
      switch scope {
      case .customer(let customer): [customer]
      case .lineage(let lineage): state.ledger.customers(concernedBy: lineage).sorted()
      case .everyone: Array(Set(state.ledger.holdings.keys).union(cache.customersWhileWriting()))
      }
    }
  }

  /// Folds some customers, and returns the count of their transactions and the corrections.
  private func refold(_ customers: ArraySlice<CustomerID>, isDryRun: Bool) -> (Int, [Correction]) {
    state.withLock { state in
      var transactions = 0
      var corrections: [Correction] = []
      for customer in customers {
        let access = state.ledger.access(of: customer)
        let words = access.map { AccessBlockWriter.words(of: $0, customer: customer, names: cache.names) }
        transactions += state.ledger.holdings[customer]?.count ?? 0
        guard cache.wordsWhileWriting(of: customer) != words else { continue }
        corrections += cache.corrections(of: customer, to: words)
        if isDryRun { continue }
        cache.publish([EntitlementCache.Change(customer: customer, words: words)], revision: state.revision)
      }
      return (transactions, corrections)
    }
  }

  /// Leaves the ledger alone for a moment: its lock isn't fair, and who lets go of it only to take it again mostly gets it.
  func letRecordingsIn() {
    let turn = AwaitedValue(())
    _ = turn.wait(untilNanoseconds: Clock.monotonicNanoseconds() + EntitlementStore.recordingTurnNanoseconds) { _ in Void?.none }
  }
}

extension EntitlementCache {
  /// Where a customer's compiled answers differ from those that a fresh fold gave. On the thread that writes.
  fileprivate func corrections(of customer: CustomerID, to words: [UInt64]?) -> [Correction] {
    unsafe withBlockWhileWriting(of: customer) { before in
      unsafe withBlock(of: words) { after in unsafe corrections(of: customer, from: before, to: after) }
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
