import Platform

/// Those who wait until the state includes a revision.
package final class RevisionWaiters: Sendable {
  /// How many may wait at once.
  package static let limit = 65_536

  private struct Waiter: Sendable {
    var revision: UInt64
    var completion: @Sendable (Bool) -> Void
  }

  private struct State {
    var reached: UInt64 = 0
    var next: UInt64 = 0
    var waiters: [UInt64: Waiter] = [:]
  }

  private let state = Guarded(State())

  package init() {}

  /// Calls back once the revision is reached, with true; at once if it is already.
  ///
  /// Returns the number under which the wait can be given up; nil where it didn't have to wait, or too many wait, who are then
  /// called back with false.
  package func wait(for revision: UInt64, _ completion: @escaping @Sendable (Bool) -> Void) -> UInt64? {
    let (number, reached): (UInt64?, Bool) = state.withLock { state in
      if state.reached >= revision { return (nil, true) }
      if state.waiters.count >= RevisionWaiters.limit { return (nil, false) }
      state.next += 1
      state.waiters[state.next] = Waiter(revision: revision, completion: completion)
      return (state.next, false)
    }
    if number == nil { completion(reached) }
    return number
  }

  /// Whether a wait was neither called back nor given up yet.
  package func isWaiting(_ number: UInt64) -> Bool { state.withLock { $0.waiters[number] != nil } }

  /// Gives up a wait: calls back with false, unless it was called back already.
  package func giveUp(_ number: UInt64) {
    state.withLock { $0.waiters.removeValue(forKey: number) }?.completion(false)
  }

  /// Calls back everyone whose revision the state now includes.
  func advance(to revision: UInt64) {
    let due: [Waiter] = state.withLock { state in
      state.reached = max(state.reached, revision)
      guard !state.waiters.isEmpty else { return [] }
      let due = state.waiters.filter { $0.value.revision <= revision }
      for number in due.keys { state.waiters[number] = nil }
      return Array(due.values)
    }
    for waiter in due { waiter.completion(true) }
  }
}
