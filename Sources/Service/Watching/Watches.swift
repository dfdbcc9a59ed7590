import LatchkeyWire
import Platform
import Storage

/// How watch streams are served.
package struct WatchOptions: Sendable {
  /// How long a quiet watcher waits for a position to resume from.
  package var checkpointInterval: Duration = .seconds(5)
  /// How many may run at a time.
  package var watchLimit = Limits.watches
  /// How many changes are kept for those that are behind.
  package var window = WatchLimits()

  package init() {}
}

/// A watch that begins to follow the feed.
struct WatchArrival: Sendable {
  let stream: WatchStream
  let filter: WatchFilter
  let start: Start

  /// Where it begins.
  enum Start: Sendable {
    /// Where the store was when the call was taken: what its caller records later is told.
    case now(ChangePosition)
    case after(ChangePosition)
    /// With the present answers.
    case present
    /// Where a replay of the journal has come to, the last one of so many.
    case replayed(ChangePosition, replays: Int)
  }

  /// Where it begins, of one that begins now.
  var now: ChangePosition? { if case .now(let position) = start { position } else { nil } }
}

/// All watch streams of a server: one thread, which runs while there are any, walks the feed of changes and serves each of them.
///
/// Those that begin before what memory keeps are told by `replays` what they missed, and then come here. What is published only rings its bell, so that recordings don't wait for watchers.
final class Watches: Sendable {
  struct Mail: Sendable {
    var arrivals: [WatchArrival] = []
    /// Those that run, and those that arrive.
    var count = 0
    /// Whether there may be something new to tell.
    var isRung = false
    var isRunning = false
    var isEnding = false
  }

  private let store: WatchedStore
  private let options: WatchOptions
  private let mail: AwaitedValue<Mail>
  private let replays: WatchReplays

  /// What a watch needs of a store; not the store itself, which its owner closes.
  struct WatchedStore: Sendable {
    let publications: PublicationLog
    let cache: EntitlementCache
  }

  init(of store: EntitlementStore, options: WatchOptions) {
    self.store = WatchedStore(publications: store.publications, cache: store.cache)
    self.options = options
    let mail = AwaitedValue(Mail())
    self.mail = mail
    replays = WatchReplays(of: store) { arrivals, ended in
      mail.update { mail in
        mail.arrivals += arrivals
        mail.count -= ended
        mail.isRung = true
      }
    }
    store.publications.setListener { mail.update { $0.isRung = true } }
  }

  /// Where a watch begins that begins now.
  var now: ChangePosition { store.publications.beginning() }

  /// Takes in one more watch.
  ///
  /// - Parameter deadline: of `Clock.monotonicNanoseconds`; nil: none.
  /// - Throws: `UNAVAILABLE` while the server drains, `RESOURCE_EXHAUSTED` where too many run.
  func add(_ reply: any LateReply, deadline: UInt64?, _ wish: WatchWish) throws(Status) {
    var origin: ChangePosition?
    if case .after(let position) = wish.start { origin = position }
    let stream = WatchStream(
      reply, deadline: deadline, checkpointNanoseconds: UInt64(options.checkpointInterval / .nanoseconds(1)), from: origin)
    try add(WatchArrival(stream: stream, filter: wish.filter, start: wish.start))
  }

  private func add(_ arrival: WatchArrival) throws(Status) {
    let startsThread = try mail.update { mail throws(Status) in
      if mail.isEnding { throw Status(.unavailable, "the server is draining") }
      guard mail.count < options.watchLimit else {
        throw .overloaded("\(options.watchLimit) watches run already", retryAfterMilliseconds: 1_000)
      }
      mail.arrivals.append(arrival)
      mail.count += 1
      defer { mail.isRunning = true }
      return !mail.isRunning
    }
    if startsThread { try start() }
  }

  private func start() throws(Status) {
    do throws(SystemError) {
      _ = try Thread(named: "watches") { [self] in run() }
    } catch {
      let arrivals = mail.update { mail in
        defer { (mail.arrivals, mail.count, mail.isRunning) = ([], 0, false) }
        return mail.arrivals
      }
      let status = Status(.resourceExhausted, "no thread for watches: \(error)")
      // The caller's own call fails with what is thrown.
      for arrival in arrivals.dropFirst() { arrival.stream.end(status) }
      throw status
    }
  }

  /// Has the thread look whether time has brought something new.
  func look() { mail.update { $0.isRung = true } }

  /// Ends all watches, each with a position to resume from, and refuses later ones; returns when they have ended.
  func end() {
    replays.end()
    mail.update { $0.isEnding = true }
    mail.wait { $0.isRunning ? nil : () }
  }

  private func run() {
    var round = WatchRound(
      feed: ChangeFeed(store.publications, store.cache, limits: options.window), clock: store.publications, replays: replays)
    while true {
      let news = mail.wait(untilNanoseconds: round.nextTurn) { mail in
        mail.isRung || mail.isEnding || !mail.arrivals.isEmpty ? Watches.take(from: &mail) : nil
      }
      let ended = round.turn(arrivals: news?.arrivals ?? [], isEnding: news?.isEnding ?? false)
      let isOver = mail.update { mail in
        mail.count -= ended
        mail.isRunning = mail.count > 0
        return mail.count == 0
      }
      if isOver { return }
    }
  }

  private static func take(from mail: inout Mail) -> (arrivals: [WatchArrival], isEnding: Bool) {
    defer { (mail.arrivals, mail.isRung) = ([], false) }
    return (mail.arrivals, mail.isEnding)
  }
}
