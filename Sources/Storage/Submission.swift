import Entitlements
import Platform

/// An input on its way to the journal, with whom to tell.
struct Submission: Sendable {
  var input: Input
  /// The moment at which changes compare before and after; nil: now.
  var evaluateAt: Moment?
  /// Of `Clock.monotonicNanoseconds`; nil: none.
  var deadline: UInt64?
  var completion: @Sendable (Result<Applied, StoreError>) -> Void
}

/// What an input did.
package struct Applied: Sendable {
  package var recorded: Recorded
  /// Each entitlement whose answer differs before and after, at the moment asked for.
  package var changes: [AccessChange] = []
  package var revision: UInt64
}

/// An entitlement that a customer gained or lost.
package struct AccessChange: Hashable, Sendable {
  package var customer: CustomerID
  package var entitlement: Identifier
  /// After the change.
  package var reason: Reason

  package var isAllowed: Bool { reason.allows }

  package init(customer: CustomerID, entitlement: Identifier, reason: Reason) {
    self.customer = customer
    self.entitlement = entitlement
    self.reason = reason
  }
}

/// The submissions that wait for the journal. Bounded.
final class SubmissionQueue: Sendable {
  /// How many may wait.
  static let limit = 65_536

  private struct State {
    var waiting: [Submission] = []
    var isClosed = false
  }

  enum Taken: Sendable {
    case batch([Submission])
    /// Nothing came for a while.
    case idle
    case closed
  }

  private let state = AwaitedValue(State())

  /// Adds a submission; throws where too many wait already, or the store is closing.
  func add(_ submission: Submission) throws(StoreError) {
    try state.update { state throws(StoreError) in
      if state.isClosed { throw .closed }
      if state.waiting.count >= SubmissionQueue.limit { throw .overloaded }
      state.waiting.append(submission)
    }
  }

  /// Lets nothing more in; `take` gives what waits, and then `closed`.
  func close() { state.update { $0.isClosed = true } }

  /// Waits for submissions and takes all that wait; with a time, `idle` if none came within it.
  func take(idleAfterNanoseconds idle: UInt64?) -> Taken {
    func available(_ state: inout State) -> Taken? {
      if state.waiting.isEmpty { return state.isClosed ? .closed : nil }
      defer { state.waiting = [] }
      return .batch(state.waiting)
    }
    guard let idle else { return state.wait(for: available) }
    return state.wait(untilNanoseconds: Clock.monotonicNanoseconds() + idle, for: available) ?? .idle
  }
}
