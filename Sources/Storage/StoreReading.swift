import Entitlements
import Platform
import Synchronization

/// The ledger as of one revision, with what is known beside it. Only within the body that it is given to.
package struct StoreReading: UsageReading {
  package let ledger: Ledger
  package let revision: UInt64
  private let late: [ScopedID: CheckCount]
  private let cache: EntitlementCache

  /// On the thread that holds the state.
  init(_ state: StoreState, cache: EntitlementCache) {
    ledger = state.ledger
    revision = state.revision
    late = state.lateChecks
    self.cache = cache
  }

  package func usage(of customer: CustomerID, _ entitlement: Identifier) -> Usage {
    cache.usageWhileWriting(of: customer, entitlement)
  }

  /// Every answer of a customer at a moment, by the entitlement's name, as checks have them at this revision; nil for one who holds
  /// nothing.
  package func answers(of customer: CustomerID, at moment: Moment) -> [(entitlement: Identifier, answer: AccessBlock.Answer)]? {
    cache.answersWhileWriting(of: customer, at: moment)
  }

  package func lateChecks(of transaction: ScopedID) -> CheckCount? { late[transaction] }
}

extension EntitlementStore {
  /// How many records are looked at between two turns of the recordings.
  private static let walkSlice = 2_048

  /// Reads the state as of one revision. Recordings wait meanwhile, checks don't.
  package func readState<Result: Sendable>(_ body: (StoreReading) -> Result) -> Result {
    state.withLock { state in body(StoreReading(state, cache: cache)) }
  }

  /// Goes through all records in the order of their numbers, in slices between which recordings have their turn.
  ///
  /// Each record is looked at once, as of some revision between that of the first slice and that of the last. All that was recorded
  /// before the first slice is in it; of what is recorded meanwhile, what comes to lie behind the slice at work is too.
  /// - Parameter isWanted: asked between slices; false gives the walk up.
  /// - Returns: the revision of the first slice; nil where the walk was given up.
  package func walkRecords(while isWanted: () -> Bool, _ body: (RecordNumber, StoreReading) -> Void) -> UInt64? {
    var first: UInt64?
    var next = 0
    while true {
      let (revision, count) = readState { reading in
        let slice = next..<min(next + EntitlementStore.walkSlice, reading.ledger.records.count)
        for number in slice { body(number, reading) }
        return (reading.revision, reading.ledger.records.count)
      }
      first = first ?? revision
      next += EntitlementStore.walkSlice
      if next >= count { return first }
      guard isWanted(), !isClosing.load(ordering: .acquiring) else { return nil }
      Turns.letOthersIn()
    }
  }
}

extension StoreState {
  /// Keeps how many checks were allowed from a revocation's date on, in the moment in which it is first recorded.
  ///
  /// Before the new answers are published, so that the counters still stand for the old ones.
  mutating func noteLateChecks(of revoked: [RecordNumber], cache: EntitlementCache) {
    guard !revoked.isEmpty else { return }
    for (transaction, count) in counts(of: revoked, cache: cache) { lateChecks[transaction] = count }
  }

  private func counts(of revoked: [RecordNumber], cache: EntitlementCache) -> [(ScopedID, CheckCount)] {
    let reading = StoreReading(self, cache: cache)
    return revoked.compactMap { number in
      let record = ledger.records[number]
      guard let date = record.revokedFrom, let recorded = record.revocationRecordedAt else { return nil }
      return (record.key, ledger.checks(onPaymentOf: number, since: date, until: max(date, recorded), reading))
    }
  }
}
