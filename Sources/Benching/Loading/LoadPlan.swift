import Platform

/// How a load is put on a server.
package struct LoadPlan: Sendable {
  package var endpoint: Endpoint
  package var language = Language.latchkey
  package var threads = 1
  /// Over all threads.
  package var connections = 8
  /// How many calls of a connection may be in flight.
  package var depth = 8
  package var pace = Pace.closed
  /// How long calls are made before those that count.
  package var warmUpSeconds = 1
  /// How long the calls that count are made; nil: until there are no more.
  package var seconds: Int? = 10
  /// How long an answer may take, in nanoseconds.
  package var deadline: UInt64 = 10_000_000_000
  package var seed: UInt64 = 1

  /// Makes a plan of a closed loop for ten seconds on eight connections.
  package init(endpoint: Endpoint) { self.endpoint = endpoint }

  /// What the server speaks.
  package enum Language: Sendable {
    case latchkey
    case redis

    /// How the server is called in a summary.
    package var name: String { self == .latchkey ? LatchkeyDialect.name : RedisDialect.name }
    /// The calls that it knows.
    package var kinds: Set<CallKind> { self == .latchkey ? LatchkeyDialect.kinds : RedisDialect.kinds }
  }

  /// The most threads, connections and calls of a connection in flight; the last is what a server takes (``Limits``).
  package static let (threadLimit, connectionLimit, depthLimit) = (64, 10_000, 4_096)
  /// The most calls in flight of all connections together.
  package static let callsInFlightLimit = 1_000_000

  /// How many of the connections a thread has: as many as the others, or one more.
  func connections(ofThread thread: Int) -> Int { connections / threads + (thread < connections % threads ? 1 : 0) }
}

/// The moments of a run, in nanoseconds of `Clock.monotonicNanoseconds`.
struct LoadTimes: Sendable {
  /// When the first call may be made.
  let start: UInt64
  /// From when on calls count by the moment at which they are due.
  let countedFrom: UInt64
  /// From when on no call is due.
  let end: UInt64

  init(_ plan: LoadPlan, start: UInt64) {
    self.start = start
    countedFrom = start + UInt64(plan.warmUpSeconds) * 1_000_000_000
    end = plan.seconds.map { [countedFrom] in countedFrom + UInt64($0) * 1_000_000_000 } ?? .max
  }

  /// In which second since the start a moment lies.
  func second(of moment: UInt64) -> Int { moment <= start ? 0 : Int((moment - start) / 1_000_000_000) }
}
