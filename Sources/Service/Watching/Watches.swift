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

/// A watch that begins.
struct WatchArrival: Sendable {
  let reply: any LateReply
  /// Of `Clock.monotonicNanoseconds`; nil: none.
  let deadline: UInt64?
  let wish: WatchWish
}

/// All watch streams of a server: one thread, which runs while there are any, walks the feed of changes and serves each of them.
///
/// What is published only rings its bell, so that recordings don't wait for watchers.
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
  private let mail = AwaitedValue(Mail())

  /// What a watch needs of a store; not the store itself, which its owner closes.
  struct WatchedStore: Sendable {
    let publications: PublicationLog
    let cache: EntitlementCache
  }

  init(of store: EntitlementStore, options: WatchOptions) {
    self.store = WatchedStore(publications: store.publications, cache: store.cache)
    self.options = options
    store.publications.setListener { [mail] in mail.update { $0.isRung = true } }
  }

  /// Takes in one more watch.
  ///
  /// - Throws: `UNAVAILABLE` while the server drains, `RESOURCE_EXHAUSTED` where too many run.
  func add(_ arrival: WatchArrival) throws(Status) {
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
      for arrival in arrivals.dropFirst() { arrival.reply.finish(Frame.ending(stream: arrival.reply.streamID, with: status)) }
      throw status
    }
  }

  /// Has the thread look whether time has brought something new.
  func look() { mail.update { $0.isRung = true } }

  /// Ends all watches, each with a position to resume from, and refuses later ones; returns when they have ended.
  func end() {
    mail.update { $0.isEnding = true }
    mail.wait { $0.isRunning ? nil : () }
  }

  private func run() {
    var round = WatchRound(
      feed: ChangeFeed(store.publications, store.cache, limits: options.window), clock: store.publications,
      checkpointNanoseconds: UInt64(options.checkpointInterval / .nanoseconds(1)))
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
