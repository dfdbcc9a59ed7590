import Entitlements
import LatchkeyWire
import Platform
import Storage

/// One replay of the journal, for all watches that waited for one when it began. Belongs to one thread.
///
/// It goes as fast as its fastest clients read: whoever can't keep up with them is left behind, to have a replay with others of
/// that kind.
final class WatchReplay {
  private var watches: [ReplayedWatch]
  private var shared = SharedFrames()
  private let store: EntitlementStore
  private let line: WatchReplays
  /// How long it waited for some clients while others could have gone on.
  private var waited: UInt64 = 0
  private var lastLook: UInt64 = 0

  /// How long it waits so in all.
  private static let graceNanoseconds: UInt64 = 1_000_000_000
  /// How long it waits where no client reads.
  private static let patienceNanoseconds: UInt64 = 30_000_000_000
  /// How often it looks whether a client reads again.
  private static let pauseNanoseconds: UInt64 = 5_000_000
  /// How often what waits is sent, be it little.
  private static let lookNanoseconds: UInt64 = 100_000_000

  init(_ watches: [ReplayedWatch], of store: EntitlementStore, in line: WatchReplays) {
    (self.watches, self.store, self.line) = (watches, store, line)
  }

  /// Tells the watches what they missed, and then lets them follow the feed, or stand in line again.
  func run() {
    guard let first = watches.map(\.position).min() else { return }
    do throws(StoreError) {
      let turns = Turns(isGivenUp: { self.isGivenUp() })
      let reached = try store.replayChanges(after: first, of: customers, turns: turns) { group throws(StoreError) in
        try self.take(group)
      }
      guard let reached else { return refuse(try store.oldestKeptPosition()) }
      for watch in watches { line.handOver(watch.arrival(at: reached)) }
    } catch .busy {
      // A snapshot removed what was being read. What is still needed is mostly there.
      for watch in watches { line.add(again: watch) }
    } catch .givenUp, .closed {
      endAll(.unavailable, "the server is draining")
    } catch {
      endAll(.internal, "what was missed can't be read: \(error)")
    }
  }

  /// Whose changes some watch wants; nil: everyone's.
  private var customers: Set<CustomerID>? {
    watches.reduce(Set<CustomerID>?.some([])) { all, watch in
      all.flatMap { all in watch.filter.customers.map { all.union($0) } }
    }
  }

  /// Refuses those whose place isn't kept any more; the others stand in line again.
  private func refuse(_ oldest: ChangePosition) {
    for watch in watches {
      if watch.position >= oldest {
        line.add(again: watch)
      } else {
        line.end(watch, WatchFailure.tooOld(oldest: oldest).refusal)
      }
    }
  }

  private func endAll(_ code: StatusCode, _ reason: String) {
    for index in watches.indices { line.end(&watches[index], code, reason) }
    watches = []
  }
}

// MARK: - Clients

extension WatchReplay {
  /// Tells a group of changes to whom it concerns, and waits for those who have to read first.
  private func take(_ group: ChangeGroup) throws(StoreError) {
    for index in watches.indices { watches[index].take(group, &shared) }
    try waitForReaders()
    if Clock.monotonicNanoseconds() >= lastLook + WatchReplay.lookNanoseconds, isGivenUp() { throw .givenUp }
  }

  /// Lets go of those that have to end, and sends what waits; whether nobody is left, or the server drains.
  private func isGivenUp() -> Bool {
    let now = Clock.monotonicNanoseconds()
    lastLook = now
    endSome { $0.stream.reasonToEnd }
    for index in watches.indices { watches[index].keepUp(at: now) }
    return watches.isEmpty || line.isEnding
  }

  private func waitForReaders() throws(StoreError) {
    let begin = Clock.monotonicNanoseconds()
    while true {
      var fullCount = 0
      for index in watches.indices where watches[index].stream.isFull && !watches[index].flush() { fullCount += 1 }
      if fullCount == 0 { return }
      if fullCount < watches.count {
        if waited >= WatchReplay.graceNanoseconds { return leaveBehind() }
        waited += WatchReplay.pauseNanoseconds
      } else if Clock.monotonicNanoseconds() - begin >= WatchReplay.patienceNanoseconds {
        endSome { $0.stream.isFull ? (.resourceExhausted, "the client doesn't read what it missed") : nil }
      }
      line.pause(WatchReplay.pauseNanoseconds)
      if isGivenUp() { throw .givenUp }
    }
  }

  /// Lets those who have to read first stand in line again. Not within the changes of a position, which would come twice.
  private func leaveBehind() {
    endSome { $0.stream.isFull && $0.isInside ? (.resourceExhausted, "the client reads what it missed too slowly") : nil }
    let slow = watches.filter(\.stream.isFull)
    watches.removeAll(where: \.stream.isFull)
    for watch in slow { line.add(again: watch) }
  }

  private func endSome(_ reason: (ReplayedWatch) -> (code: StatusCode, reason: String)?) {
    for index in watches.indices.reversed() {
      guard let (code, words) = reason(watches[index]) else { continue }
      var watch = watches.remove(at: index)
      line.end(&watch, code, words)
    }
  }
}
