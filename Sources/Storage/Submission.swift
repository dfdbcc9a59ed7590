import Entitlements
import Journaling
import Platform
import Protobuf

/// An input on its way to the journal, with whom to tell.
final class Submission: Sendable {
  /// In normal form.
  let input: Input
  /// What the journal is to hold, but for the time.
  let record: [UInt8]
  /// Whether what came before it is to be forgotten.
  let isErasure: Bool
  /// The moment at which changes compare before and after; nil: now.
  let evaluateAt: Moment?
  /// Of `Clock.monotonicNanoseconds`; nil: none.
  let deadline: UInt64?
  let completion: @Sendable (Result<Applied, StoreError>) -> Void

  /// - Throws: `Refusal` for an input that can never be right, or is longer than a record of the journal may be.
  init(
    _ input: consuming Input, evaluateAt: Moment?, deadline: UInt64?,
    completion: @escaping @Sendable (Result<Applied, StoreError>) -> Void
  ) throws(Refusal) {
    try input.validate()
    input.bringToNormalForm()
    isErasure = input.isErasure
    record = StoredInput.record(of: input)
    self.input = consume input
    assert(record == StoredInput(self.input).record && StoredInput(self.input).input == self.input, "a replay applies the same")
    self.evaluateAt = evaluateAt
    self.deadline = deadline
    self.completion = completion
    guard record.count <= Submission.byteLimit else {
      throw .invalid(
        field: "recording", problem: "has \(record.count) bytes, and one recording has at most \(Submission.byteLimit)")
    }
  }

  /// How many bytes an input has at most: a record's, less those of its time.
  static let byteLimit = JournalLimits.recordBytes - StoredInput.timeByteLimit
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
    var isWokenUp = false
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

  /// Lets whoever waits in `take` look again at what else there is to do.
  func wakeUp() { state.update { $0.isWokenUp = true } }

  /// Lets nothing more in; `take` gives what waits, and then `closed`.
  func close() { state.update { $0.isClosed = true } }

  /// Lets nothing more in, and gives what waits.
  func closeAndEmpty() -> [Submission] {
    state.update { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// Waits for submissions and takes all that wait, which is none after `wakeUp`; with a time, `idle` if none came within it.
  func take(idleAfterNanoseconds idle: UInt64?) -> Taken {
    func available(_ state: inout State) -> Taken? {
      if state.waiting.isEmpty && !state.isWokenUp { return state.isClosed ? .closed : nil }
      defer { (state.waiting, state.isWokenUp) = ([], false) }
      return .batch(state.waiting)
    }
    guard let idle else { return state.wait(for: available) }
    return state.wait(untilNanoseconds: Clock.monotonicNanoseconds() + idle, for: available) ?? .idle
  }
}
