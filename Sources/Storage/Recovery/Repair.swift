import Entitlements
import Journaling

/// What could be made of a damaged store, and what would be lost by it. Nobody else can open the store meanwhile.
package struct Repair: ~Copyable {
  /// What is wrong; empty where there is nothing to repair.
  package let damages: [JournalError]
  /// The last revision that can be proven, and that the repaired store holds.
  package let kept: UInt64
  /// The last revision that any file tells of; those after `kept` up to it are lost.
  package let lastKnown: UInt64
  /// How many of the lost recordings can still be read one by one, though nothing leads to them.
  package let readable: Int
  /// The customers whom those name.
  package let customers: Set<CustomerID>

  private let survey: StoreSurvey
  private let state: StoreState
  private let usages: [StoredUsage]

  package var lostCount: UInt64 { lastKnown - kept }
  /// The revision that the repaired store goes on from: no revision stands for two things, be one of them lost.
  package var nextRevision: UInt64 { lastKnown + 1 }

  /// Reads every file of a stopped store, and finds the longest past that can be proven.
  ///
  /// - Throws: `.journal` where the store is in use, a newer version wrote it, a file can't be read, or nothing of it can be proven.
  package static func examine(
    _ directory: String, progress: (String) -> Void = { _ in }
  ) throws(StoreError) -> Repair {
    do throws(JournalError) {
      let survey = try StoreSurvey.read(directory, hold: .alone)
      let damages = try Verification(reading: survey, progress).damages
      for damage in damages where !damage.canBeRepaired { throw damage }
      guard let best = try best(of: survey), best.state.revision > 0 || damages.isEmpty else {
        throw damages.first ?? .notAStore(directory: directory, reason: "nothing of it can be proven")
      }
      return try Repair(survey, damages: damages, keeping: best)
    } catch {
      throw .journal(error)
    }
  }

  private init(
    _ survey: consuming StoreSurvey, damages: [JournalError], keeping best: Recovering
  ) throws(JournalError) {
    let kept = best.state.revision
    let (lastKnown, loss) = (max(kept, try survey.lastKnown()), try Repair.loss(in: survey, after: kept))
    (self.damages, self.kept, self.lastKnown, readable, customers) = (damages, kept, lastKnown, loss.readable, loss.customers)
    (state, usages) = (best.state, best.usages)
    self.survey = survey
  }

  /// The state that the longest provable past leads to; nil where not even the beginning can be proven.
  private static func best(of survey: borrowing StoreSurvey) throws(JournalError) -> Recovering? {
    var candidates = survey.bases.map { (reach: survey.reach(from: $0), base: $0) }
    candidates.sort { $0 > $1 }
    for candidate in candidates {
      let recovery = Recovering()
      do throws(JournalError) {
        try recovery.read(survey, from: candidate.base)
        return recovery
      } catch {
        // A snapshot that doesn't hold what its digest says is no beginning; another one may be.
        guard case .rejected = error else { throw error }
      }
    }
    return nil
  }

  private static func loss(
    in survey: borrowing StoreSurvey, after kept: UInt64
  ) throws(JournalError) -> (readable: Int, customers: Set<CustomerID>) {
    var (readable, customers): (Int, Set<CustomerID>) = (0, [])
    try survey.readLost(after: kept) { _, bytes in
      guard let input = try? JournaledInput.read(bytes).input else { return }
      readable += 1
      customers.formUnion(input.namedCustomers)
    }
    return (readable, customers)
  }

  /// Puts every file of the store aside under a name that ends in `.damaged`, and lays a store that holds what can be proven.
  ///
  /// - Throws: `.journal`; the directory then holds the old store or the new one, and the repair may be done again.
  package func perform() throws(StoreError) {
    let (state, usages) = (state, usages)
    do throws(JournalError) {
      try survey.replaceStore(revision: nextRevision, digest: StateDigest(of: state.ledger).value) { writer in
        var blocks = BlockBuilder()
        for entry in SnapshotEntries(of: state.ledger) { try blocks.write(entry, to: &writer) }
        for usage in usages { try blocks.write(.with { $0.usage = usage }, to: &writer) }
        try SnapshotPart.lateChecks(state.lateChecks).forEachEntry { try blocks.write($0, to: &writer) }
        try blocks.finish(to: &writer)
      }
    } catch {
      throw .journal(error)
    }
  }
}

extension JournalError {
  /// Whether leaving out what is damaged may help: not where the disk can't be read, or a newer version can.
  fileprivate var canBeRepaired: Bool {
    switch self {
    case .rejected(_, let error as UnreadableState): !error.needsNewerVersion
    case .damaged, .foreign, .missing, .rejected: true
    default: false
    }
  }
}

extension Input {
  /// The customers that the input names.
  fileprivate var namedCustomers: [CustomerID] {
    switch self {
    case .settings, .catalog: []
    case .recording(let recording): recording.customer.map { [$0] } ?? []
    case .granting(let granting): [granting.customer]
    case .erasure(let erasure): [erasure.customer]
    case .move(let move): [move.from, move.to]
    case .restoration(.record(let record)): record.holders
    case .restoration(.grants(_, let customer)): [customer]
    case .restoration: []
    }
  }
}
