import Entitlements
import Platform

/// A work that takes long: one of each kind at a time, and closing waits for its end.
enum LongWork: String, Sendable {
  case rebuildOfEveryone = "a rebuild of everyone"
  case snapshot = "a snapshot"
  case audit = "an audit"
}

/// How a long work goes on: in short turns of the ledger, between which recordings have theirs, and whoever asked is heard.
package struct Turns {
  /// Nanoseconds of a clock that only goes forward.
  package var now: () -> UInt64
  /// Asked between two turns: whether nobody wants the work any more.
  package var isGivenUp: () -> Bool

  package init(now: @escaping () -> UInt64 = Clock.monotonicNanoseconds, isGivenUp: @escaping () -> Bool = { false }) {
    self.now = now
    self.isGivenUp = isGivenUp
  }

  /// After how long others have the core and the ledger, with the element that is at hand: what a recording waits for at most, and what
  /// a check does whose thread wants the same core.
  private static let heldNanoseconds: UInt64 = 30_000
  /// After how long a turn ends.
  private static let turnNanoseconds: UInt64 = 200_000
  /// How many elements a turn has at most.
  private static let elementLimit = 256
  /// How long a turn of all others is at least: enough for a thread to wake up. It is as long as the turn before where that is longer,
  /// so that a long work has half a core at most.
  private static let pauseNanoseconds: UInt64 = 100_000

  /// Takes elements from the front and runs the body with each, under the ledger's lock, until the turn is over; then recordings
  /// have theirs. In between whoever waits for the core or the lock has it.
  ///
  /// - Throws: `.closed` where the store closes, `.givenUp`.
  func take<Rest: Collection>(
    from rest: inout Rest, of store: EntitlementStore, _ body: (Rest.Element, inout StoreState) -> Void
  ) throws(StoreError) where Rest.SubSequence == Rest {
    let start = now()
    var count = 0
    repeat {
      store.state.withLock { state in
        let end = now() + Turns.heldNanoseconds
        repeat {
          guard let element = rest.popFirst() else { return }
          count += 1
          body(element, &state)
        } while count < Turns.elementLimit && now() < end
      }
      Thread.yield()
    } while !rest.isEmpty && count < Turns.elementLimit && now() < start + Turns.turnNanoseconds
    if store.isClosing.load(ordering: .acquiring) { throw .closed }
    if isGivenUp() { throw .givenUp }
    Turns.letOthersIn(afterNanoseconds: now() - start)
  }

  /// Leaves the ledger and the core alone for a moment: the lock isn't fair, and who lets go of it only to take it again mostly gets
  /// it; and a thread that rests is soon passed by those that answer checks.
  static func letOthersIn(afterNanoseconds turn: UInt64 = 0) {
    let pause = min(max(turn, Turns.pauseNanoseconds), 10 * Turns.turnNanoseconds)
    let others = AwaitedValue(())
    _ = others.wait(untilNanoseconds: Clock.monotonicNanoseconds() + pause) { _ in Void?.none }
  }
}

extension EntitlementStore {
  /// How many customers are noted at once, without a pause: about as long as the fold of a few.
  private static let customersAtOnce = 32

  /// Everyone who holds something, and everyone who has answers, in no order; found in turns.
  ///
  /// Who comes to hold something meanwhile may be missing: the recording folded them.
  func everyone(_ turns: Turns, between: () throws(StoreError) -> Void) throws(StoreError) -> [CustomerID] {
    var found = read { ledger, _ in ledger.grants.keys.filter { !ledger.holdsSomething($0) } }
    let end = read { ledger, _ in ledger.customerNumberEnd }
    var starts = Array(stride(from: 0, to: end, by: EntitlementStore.customersAtOnce))[...]
    while !starts.isEmpty {
      try turns.take(from: &starts, of: self) { start, state in
        found += state.ledger.customers(numbered: start..<min(start + EntitlementStore.customersAtOnce, end))
      }
      try between()
    }
    for shard in 0..<EntitlementCache.shardCount {
      var answered = cache.customers(inShard: shard)[...]
      while !answered.isEmpty {
        try turns.take(from: &answered, of: self) { customer, state in
          if !state.ledger.holdsSomething(customer), state.ledger.grants[customer] == nil { found.append(customer) }
        }
        try between()
      }
    }
    return found
  }
}
