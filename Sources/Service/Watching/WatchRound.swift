import LatchkeyWire
import Platform
import Storage

/// The work of the watches' one thread: turn by turn it walks to the present and gives each watcher what it is due.
struct WatchRound {
  private let feed: ChangeFeed
  private let clock: PublicationLog
  private let replays: WatchReplays
  private var watchers: [Watcher] = []
  private var shared = SharedFrames()
  /// When there is something to do though nothing happens, of `Clock.monotonicNanoseconds`.
  private(set) var nextTurn: UInt64 = 0

  /// How often it looks whether a client has gone, or the wall clock was set.
  private static let lookNanoseconds: UInt64 = 1_000_000_000
  /// How often it looks whether a client that was full reads again.
  private static let stalledNanoseconds: UInt64 = 10_000_000

  init(feed: ChangeFeed, clock: PublicationLog, replays: WatchReplays) {
    self.feed = feed
    self.clock = clock
    self.replays = replays
  }

  /// One turn. Returns how many watches ended in it.
  mutating func turn(arrivals: [WatchArrival], isEnding: Bool) -> Int {
    advance(from: arrivals.compactMap(\.now).min())
    var ended = 0
    for arrival in arrivals where !begin(arrival) { ended += 1 }
    let now = Clock.monotonicNanoseconds()
    var end = now + WatchRound.lookNanoseconds
    var index = 0
    while index < watchers.count {
      switch watchers[index].serve(feed, &shared) {
      case .upToDate(let checkpoint): end = min(end, checkpoint)
      case .busy: end = now
      case .stalled: end = min(end, now + WatchRound.stalledNanoseconds)
      case .overtaken(let stream, let filter, let position):
        remove(at: index)
        replays.add(stream, filter, after: position, replays: 0)
        continue
      case .ended:
        remove(at: index)
        ended += 1
        continue
      }
      index += 1
    }
    if isEnding { ended += drain() }
    nextTurn = nextMoment(before: end)
    return ended
  }

  private mutating func remove(at index: Int) {
    watchers.swapAt(index, watchers.count - 1)
    watchers.removeLast()
  }

  /// - Parameter earliest: where the feed begins at the latest if it slept, so that those who arrive find their places in it.
  private func advance(from earliest: ChangePosition?) {
    do throws(WatchFailure) { try feed.advance(from: earliest) } catch {
      // Publications came faster than they were walked. Whoever followed is overtaken; the feed begins anew.
      do throws(WatchFailure) { try feed.advance() } catch { return }
    }
  }

  /// Takes in a watch, or lets it stand in line for what it missed; false where it ended.
  private mutating func begin(_ arrival: WatchArrival) -> Bool {
    do throws(WatchFailure) {
      watchers.append(try Watcher(arrival, feed: feed))
      return true
    } catch .tooOld(let oldest) {
      switch arrival.start {
      case .now(let position), .after(let position): replays.add(arrival.stream, arrival.filter, after: position, replays: 0)
      case .replayed(let position, let count): replays.add(arrival.stream, arrival.filter, after: position, replays: count)
      case .present: return refuse(arrival, .tooOld(oldest: oldest))
      }
      return true
    } catch {
      return refuse(arrival, error)
    }
  }

  private func refuse(_ arrival: WatchArrival, _ failure: WatchFailure) -> Bool {
    arrival.stream.end(failure.refusal)
    return false
  }

  /// Ends all watches; returns how many that were.
  private mutating func drain() -> Int {
    for index in watchers.indices { _ = watchers[index].end(.unavailable, "the server is draining") }
    defer { watchers = [] }
    return watchers.count
  }

  /// When time alone changes an answer next, of `Clock.monotonicNanoseconds`; `end` where that is later.
  private func nextMoment(before end: UInt64) -> UInt64 {
    guard let moment = feed.nextMoment else { return end }
    // At least a millisecond: while a publication in parts is under way, a moment that has come isn't passed.
    let wait = UInt64(clamping: max(1, moment.subtractingReportingOverflow(clock.now).partialValue))
    return min(end, Clock.monotonicNanoseconds() + min(wait, 1_000_000) * 1_000_000)
  }
}
