/// How the client stands to the server: whether a connection is up, and when the next one is tried.
struct Line: Sendable {
  private enum State {
    /// No connection; none is tried before this moment.
    case down(until: ContinuousClock.Instant?)
    /// A connection is being made, until this moment.
    case dialling(ConnectionID, until: ContinuousClock.Instant)
    case up(ConnectionID)
    case closed
  }

  private let backoff: Backoff
  private let connectTimeout: Duration
  private var random = SystemRandomNumberGenerator()
  private var state = State.down(until: nil)
  private var lastConnection: ConnectionID = 0
  /// Connections in a row that ended, or could not be made, before anything was heard on them.
  private var failures = 0
  /// Why there is no connection, for a person.
  private(set) var lastFailure = "no connection was made yet"

  init(_ options: Options) {
    (backoff, connectTimeout) = (options.backoff, options.connectTimeout)
  }

  /// The connection that takes requests; nil: none does.
  var connection: ConnectionID? {
    if case .up(let connection) = state { connection } else { nil }
  }

  var isDown: Bool {
    if case .down = state { true } else { false }
  }

  var isClosed: Bool {
    if case .closed = state { true } else { false }
  }

  /// The moment at which there is something to do, given whether a connection is wanted; nil: none.
  func nextMoment(isWanted: Bool) -> ContinuousClock.Instant? {
    switch state {
    case .down(let until): isWanted ? until : nil
    case .dialling(_, let until): until
    case .up, .closed: nil
    }
  }

  /// Begins a connection, and gives its name, if there is none and the wait is over.
  mutating func dial(at now: ContinuousClock.Instant) -> ConnectionID? {
    guard case .down(let until) = state, until.map({ $0 <= now }) ?? true else { return nil }
    lastConnection += 1
    state = .dialling(lastConnection, until: now + connectTimeout)
    return lastConnection
  }

  /// The connection that took too long to make, if that is so.
  func overdue(at now: ContinuousClock.Instant) -> ConnectionID? {
    if case .dialling(let connection, let until) = state, until <= now { connection } else { nil }
  }

  /// A connection stands; gives false if nobody waits for that one any more.
  mutating func connected(_ connection: ConnectionID) -> Bool {
    guard case .dialling(connection, _) = state else { return false }
    state = .up(connection)
    return true
  }

  /// The server said something, so that the next failure is a first one again.
  mutating func heard() { failures = 0 }

  /// A connection ended, or none could be made.
  mutating func lost(_ connection: ConnectionID, _ reason: String, at now: ContinuousClock.Instant) {
    lastFailure = reason
    switch state {
    case .dialling(connection, _), .up(connection): backOff(at: now)
    default: break
    }
  }

  /// A connection takes no new requests. Its clients don't all come back at once, and not in a tight loop.
  mutating func retire(_ connection: ConnectionID, at now: ContinuousClock.Instant) {
    if self.connection == connection { backOff(at: now) }
  }

  mutating func close() { state = .closed }

  private mutating func backOff(at now: ContinuousClock.Instant) {
    failures += 1
    state = .down(until: now + backoff.wait(afterFailures: failures, using: &random))
  }
}
