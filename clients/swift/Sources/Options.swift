import LatchkeyWire
import Protobuf

/// What a client does unless a call says otherwise.
///
///     var options = Options()
///     options.deadline = .seconds(2)
///     let latchkey = try Latchkey(address: "127.0.0.1:7450", options: options)
public struct Options: Sendable {
  /// How long a call may take, waiting for the connection included; nil: as long as it takes.
  public var deadline: Duration? = .seconds(10)

  /// Whether calls wait, up to their deadline, while the server can't be reached or answers UNAVAILABLE.
  ///
  /// If not, they fail at once, as suits a command line.
  public var waitsForServer = true

  /// How long one attempt to connect may take.
  public var connectTimeout: Duration = .seconds(5)

  /// The waits between attempts to connect, and between attempts of a call that the server answers UNAVAILABLE.
  public var backoff = Backoff()

  /// How many calls may wait for a connection or a place on it; one more fails with RESOURCE_EXHAUSTED.
  public var waitingCalls = 65_536

  /// The client as `name/version`, for the server's log.
  public var clientName = "latchkey-swift/1"

  /// The token that authenticates each connection; empty: none.
  public var token = ""

  /// Makes the options that suit a service.
  public init() {}

  /// How the client introduces itself on each connection.
  var hello: HelloRequest {
    .with {
      $0.clientName = clientName
      $0.controlFrames = true
      $0.token = token
    }
  }
}

/// Until when the caller of one call waits for its answer.
///
///     try await latchkey.checkAccess(customer: "alice", entitlement: "pro", deadline: .after(.milliseconds(50)))
public enum Deadline: Equatable, Sendable {
  /// As long as ``Options/deadline`` says.
  case byOptions
  /// This long from now on.
  case after(Duration)
  /// As long as it takes.
  case never

  /// The moment of the deadline; nil: never.
  func moment(from now: ContinuousClock.Instant, _ options: Options) -> ContinuousClock.Instant? {
    switch self {
    case .byOptions: options.deadline.map { now + $0 }
    case .after(let duration): now + duration
    case .never: nil
    }
  }
}

extension Duration {
  /// The whole nanoseconds; at most what 64 bits hold, which is 292 years.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return isOver ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000
  }
}
