import LatchkeyWire
import Platform
import Storage

/// Watches that resume from before what memory keeps: they stand in line, and one replay of the journal serves all that do when it
/// begins.
///
/// At most `limit` replays run at once, each on a thread of its own that the system puts behind all others; each may take the memory
/// of a second ledger.
final class WatchReplays: Sendable {
  private struct State {
    var line: [ReplayedWatch] = []
    var running = 0
    var isEnding = false
  }

  private let store: EntitlementStore
  private let state = AwaitedValue(State())
  /// Takes watches that go on with the feed, and how many have ended.
  private let report: @Sendable (_ arrivals: [WatchArrival], _ ended: Int) -> Void

  /// How many replays run at once.
  private static let limit = 2

  init(of store: EntitlementStore, _ report: @escaping @Sendable (_ arrivals: [WatchArrival], _ ended: Int) -> Void) {
    (self.store, self.report) = (store, report)
  }

  /// Whether replays have to end.
  var isEnding: Bool { state.update { $0.isEnding } }

  /// Lets a watch stand in line for what it missed, or ends it where that can't be.
  func add(_ stream: WatchStream, _ filter: WatchFilter, after position: ChangePosition, replays: Int) {
    do throws(Status) {
      let watch = try ReplayedWatch(stream, filter, after: position, replays: replays)
      let startsReplay = try state.update { state throws(Status) in
        if state.isEnding { throw Status(.unavailable, "the server is draining; resume from \(position.inWords)") }
        state.line.append(watch)
        guard state.running < WatchReplays.limit else { return false }
        state.running += 1
        return true
      }
      if startsReplay { start() }
    } catch {
      stream.end(error)
      report([], 1)
    }
  }

  /// Ends all of it; returns when that is done.
  func end() {
    state.update { $0.isEnding = true }
    state.wait { $0.running == 0 ? () : nil }
  }

  private func start() {
    do throws(SystemError) {
      _ = try Thread(named: "watch replay", nice: Precedence.longWorks) { [self] in run() }
    } catch {
      let line = state.update { state in
        state.running -= 1
        defer { state.line = state.running == 0 ? [] : state.line }
        return state.running == 0 ? state.line : []
      }
      for watch in line { end(watch, Status(.resourceExhausted, "no thread for what was missed: \(error)")) }
    }
  }

  private func run() {
    while true {
      let watches = state.update { state in
        defer { state.line = [] }
        if state.line.isEmpty { state.running -= 1 }
        return state.line
      }
      if watches.isEmpty { return }
      WatchReplay(watches, of: store, in: self).run()
    }
  }
}

// MARK: - What a replay says

extension WatchReplays {
  /// Lets a watch stand in line once more.
  func add(again watch: ReplayedWatch) { add(watch.stream, watch.filter, after: watch.position, replays: watch.replays) }

  /// Lets a watch that has been told what it missed follow the feed.
  func handOver(_ arrival: WatchArrival) { report([arrival], 0) }

  /// Ends a watch, with a last checkpoint.
  func end(_ watch: inout ReplayedWatch, _ code: StatusCode, _ reason: String) {
    watch.end(code, reason)
    report([], 1)
  }

  /// Ends a watch.
  func end(_ watch: ReplayedWatch, _ status: Status) {
    watch.stream.end(status)
    report([], 1)
  }

  /// Waits, unless all has to end.
  func pause(_ nanoseconds: UInt64) {
    _ = state.wait(untilNanoseconds: Clock.monotonicNanoseconds() + nanoseconds) { $0.isEnding ? () : nil }
  }
}
