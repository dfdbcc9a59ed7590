import Entitlements
import Journaling
import Platform
import Testing

@testable import Storage

// What the tests of this target speak with: a store in a line, a purchase in a line, and what a store holds.

/// Opens a store whose journal must not fail.
func openStore(
  _ path: String, settings: Settings = Settings(), catalog: Catalog? = .sample, options: JournalOptions = JournalOptions(),
  onFailure: @escaping @Sendable (JournalError) -> Void = { Issue.record("the journal failed: \($0)") }
) throws(StoreError) -> EntitlementStore {
  try EntitlementStore.open(path, settings: settings, catalog: catalog, options: options, onFailure: onFailure)
}

/// A purchase for good of the product `lifetime`, bought on day 0.
func lifetime(_ id: Identifier, _ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
  var transaction = Transaction(
    transactionID: id, productID: "lifetime", type: .nonConsumable, purchaseDate: day(0), signedDate: day(0))
  change(&transaction)
  return transaction
}

/// A recording of one transaction.
func recording(_ transaction: Transaction, as customer: CustomerID? = nil, sharedFrom links: [Identifier] = []) -> Recording {
  Recording(customer: customer, rows: [.init(transaction: transaction)], sharedFrom: links, receivedAt: day(1))
}

extension EntitlementStore {
  /// Records one transaction, and waits.
  @discardableResult
  func record(_ transaction: Transaction, as customer: CustomerID? = nil, sharedFrom links: [Identifier] = []) throws(StoreError)
    -> Applied
  {
    try submitAndWait(.recording(recording(transaction, as: customer, sharedFrom: links)), evaluateAt: day(2))
  }

  /// Runs the body while the recorder can't look at the state, so that what the body submits ends up in few batches.
  func holdingRecorder(_ body: () -> Void) { state.withLock { _ in body() } }

  /// The answer of the cache to a check.
  func answer(_ customer: CustomerID, _ entitlement: Identifier = "pro", at moment: Moment = day(2)) -> AccessBlock.Answer {
    cache.answer(customer, entitlement, at: moment.milliseconds)
  }

  /// All that a store holds and answers.
  var contents: StoreContents { read { ledger, revision in StoreContents(ledger, revision: revision) } }

  /// All moments at which an answer of the random histories could change, and those around them.
  private static var moments: [Int64] {
    (-1...RandomHistory.dayCount + 45).flatMap { day in
      [-60_000, -1, 0].map { milliseconds(ofDay: day) + $0 }
    } + [0, Moment.accepted.upperBound.milliseconds]
  }

  /// Expects the cache to answer everyone as a fresh fold of their history does.
  func expectAnswersOfLedger(sourceLocation: SourceLocation = #_sourceLocation) {
    let accesses = read { ledger, _ in RandomHistory.everyone.map { ($0, ledger.access(of: $0)) } }
    for (customer, access) in accesses {
      for entitlement in RandomHistory.products + ["pro", "plus", "season", "coins", "nothing"] {
        for moment in EntitlementStore.moments {
          let expected = access?.decision(for: entitlement, at: Moment(milliseconds: moment)) ?? .denied(.unknownCustomer)
          let answer = cache.answer(customer, entitlement, at: moment)
          guard answer != AccessBlock.Answer(expected) else { continue }
          Issue.record("\(customer), \(entitlement) at \(moment): \(answer), not \(expected)", sourceLocation: sourceLocation)
          return
        }
      }
    }
  }
}

private func milliseconds(ofDay number: Int64) -> Int64 { day(number).milliseconds }

extension EntitlementCache {
  func answer(_ customer: CustomerID, _ entitlement: Identifier, at moment: Int64) -> AccessBlock.Answer {
    let name = names.knownNumber(of: entitlement)
    return unsafe withBlock(of: customer) { block in
      guard let block = unsafe block else { return .unknownCustomer }
      return name.map { unsafe block.answer(name: $0, at: moment) } ?? .neverOwned
    }
  }
}

extension AccessBlock.Answer {
  /// What a check should answer for a decision.
  init(_ decision: Decision) {
    let ownership: UInt8 = decision.ownership == .purchased ? 1 : decision.ownership == .familyShared ? 2 : 0
    self.init(
      reason: decision.reason, ownership: decision.isAllowed ? ownership : 0,
      validUntil: decision.isAllowed ? decision.validUntil?.milliseconds ?? 0 : 0)
  }
}

/// What a store holds, to compare two of them.
struct StoreContents: Equatable {
  var revision: UInt64
  var digest: UInt64
  /// The transactions that each customer holds.
  var holdings: [CustomerID: Set<ScopedID>]
  var grants: [CustomerID: [ManualGrant]]
  var tombstones: [Tombstone]
  var answers: [CustomerID: CustomerAccess?]

  init(_ ledger: Ledger, revision: UInt64) {
    self.revision = revision
    digest = StateDigest(of: ledger).value
    tombstones = ledger.tombstones
    holdings = ledger.everyone.reduce(into: [:]) { $0[$1] = Set(ledger.holdings(of: $1).map { ledger.records[$0].key }) }
    grants = ledger.grants
    answers = Dictionary(uniqueKeysWithValues: ledger.everyone.map { ($0, ledger.access(of: $0)) })
  }
}

/// Runs the body, and returns why the store didn't do what it was asked; nil if it did.
func failure<Result>(_ body: () throws -> Result) -> Failure? {
  do {
    _ = try body()
    return nil
  } catch { return (error as? StoreError).map(Failure.init) ?? .other }
}

/// The kinds of errors that the tests tell apart.
enum Failure {
  case refused, deadlineExceeded, overloaded, readOnly, outcomeUnknown, closed, busy, givenUp, catalogRefused, inUse, rejected,
    failed
  case other

  init(_ error: StoreError) {
    switch error {
    case .refused: self = .refused
    case .deadlineExceeded: self = .deadlineExceeded
    case .overloaded: self = .overloaded
    case .readOnly: self = .readOnly
    case .outcomeUnknown: self = .outcomeUnknown
    case .closed: self = .closed
    case .busy: self = .busy
    case .givenUp: self = .givenUp
    case .catalogRefused: self = .catalogRefused
    case .journal(.inUse): self = .inUse
    case .journal(.rejected): self = .rejected
    case .journal(.failed): self = .failed
    default: self = .other
    }
  }
}
