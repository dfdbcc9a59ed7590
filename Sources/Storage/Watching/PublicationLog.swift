import Entitlements
import Platform

/// The publications of late, each with its position, for those who walk after them.
///
/// The one thread that publishes writes here **before** the cache: whoever reads a block of the cache and then looks here finds
/// the publication that made it.
package final class PublicationLog: Sendable {
  /// What one input, or a part of it, changed.
  struct Entry: Kept {
    let position: ChangePosition
    /// Whether no more changes of this position follow.
    let isWhole: Bool
    let changes: [PublishedChange]

    var byteCount: Int {
      changes.reduce(64) { sum, change in
        sum + 96 + change.customer.byteCount + 8 * ((change.before?.count ?? 0) + (change.after?.count ?? 0))
      }
    }
  }

  /// Where a walk may go: a position, and the number of the first publication beyond it.
  struct End: Sendable {
    var position: ChangePosition
    var number: Int
  }

  private struct State {
    var entries: KeptWindow<Entry>
    /// Of the last publication or claim.
    var position: ChangePosition
    /// Where a publication began of which more changes follow.
    var opening: ChangePosition?
    /// Whether inputs are on their way to the journal, which holds the time at which they are published.
    var isBatchOpen = false
    var listener: (@Sendable () -> Void)?
  }

  private let state: Guarded<State>
  private let clock: @Sendable () -> Int64

  /// - Parameters:
  ///   - revision: that of the answers that the cache has.
  ///   - clock: the wall clock, in milliseconds since 1970.
  init(revision: UInt64, limits: WatchLimits = WatchLimits(), clock: @escaping @Sendable () -> Int64) {
    self.clock = clock
    // No publication came before, so that any earlier moment of this revision is known as well.
    let start = ChangePosition(revision: revision, time: .min)
    state = Guarded(State(entries: KeptWindow(from: start, limits: limits), position: start))
  }

  /// Keeps what is about to be published, with the time; a publication in several parts has one position.
  func append(_ changes: [PublishedChange], revision: UInt64, isWhole: Bool = true) {
    let now = clock()
    let listener = state.withLock { state -> (@Sendable () -> Void)? in
      let before = state.position
      // A revision that changed nothing is kept, too: what time alone changes after it belongs to it.
      guard !changes.isEmpty || state.opening != nil || revision > before.revision else { return nil }
      if state.opening == nil {
        // What doesn't change the revision, a correction, is told apart by its time.
        let isSame = before.revision == revision
        let time = before.time &+ (isSame ? 1 : 0)
        state.position = ChangePosition(revision: revision, time: state.isBatchOpen ? time : max(now, time))
      }
      state.opening = isWhole ? nil : state.opening ?? before
      state.entries.append(Entry(position: state.position, isWhole: isWhole, changes: changes))
      return state.listener
    }
    listener?()
  }

  /// Says that inputs are about to be journaled, and gives the time at which they are published, in milliseconds since 1970.
  ///
  /// Time stands still until `endBatch`, so that the journal can hold the very positions of these publications, and who walks by
  /// the journal goes the same way as who was there.
  func beginBatch() -> Int64 {
    let now = clock()
    return state.withLock { state in
      state.position.time = max(state.position.time, now)
      state.isBatchOpen = true
      return state.position.time
    }
  }

  /// Says that the inputs are published, or that there is no room for them: time goes on.
  func endBatch() { state.withLock { $0.isBatchOpen = false } }

  /// Says that time has come to now, and how far a walk may go: a later publication comes behind it.
  func claim() -> End {
    let now = clock()
    return state.withLock { state in
      // Within a publication time stands still, and until what is being journaled is published.
      if state.opening == nil, !state.isBatchOpen { state.position.time = max(state.position.time, now) }
      return End(position: state.position, number: state.entries.endNumber)
    }
  }

  /// Where a walk may begin: at the present, or before a publication that isn't whole yet.
  package func beginning() -> ChangePosition {
    let end = claim()
    return state.withLock { $0.opening } ?? end.position
  }

  /// The wall clock, in milliseconds since 1970.
  package var now: Int64 { clock() }

  /// The number of the oldest publication that is kept.
  var firstNumber: Int { state.withLock { $0.entries.firstNumber } }

  /// Has a callback hear of each publication; nil: nobody.
  package func setListener(_ listener: (@Sendable () -> Void)?) { state.withLock { $0.listener = listener } }

  /// The position after which no publication is missing here.
  var start: ChangePosition { state.withLock { $0.entries.start } }

  /// The number of the first publication after a position; nil where what follows it has gone.
  func number(after position: ChangePosition) -> Int? { state.withLock { $0.entries.number(after: position) } }

  /// The number of the first publication after that of a revision, which is whole; nil where what follows it has gone.
  func number(afterRevision revision: UInt64) -> Int? {
    state.withLock { state in
      let start = state.entries.start
      if revision <= start.revision { return revision < start.revision ? nil : state.entries.number(after: start) }
      let first = state.entries.number(after: ChangePosition(revision: revision, time: .min)) ?? state.entries.endNumber
      precondition(first < state.entries.endNumber, "each revision after the first has a publication")
      // All parts of it have one position.
      return state.entries.number(after: state.entries[first].position)
    }
  }

  /// The publications from a number on; nil where the first of them have gone.
  func entries(from number: Int) -> [Entry]? { state.withLock { $0.entries.elements(from: number).map { Array($0) } } }

  /// One publication; nil where it has gone.
  func entry(_ number: Int) -> Entry? {
    state.withLock { number < $0.entries.firstNumber ? nil : $0.entries[number] }
  }
}
