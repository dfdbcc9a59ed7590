import Entitlements
import Glibc
import Platform
import Server
import Service
import Storage

extension Command {
  static let serve = Command(
    name: "serve", summary: "runs a server until SIGTERM or SIGINT; SIGHUP has it read its catalog again",
    options: [.data, .listen, .loops, .catalog] + Settings.options,
    statuses: [
      (.success, "ended by a signal, with everything on the disk"), (.failure, "usage, or it couldn't start"),
      (.diskFailed, "a write or sync of the journal failed"),
    ],
    example: "latchkey serve --data ./latchkey-data --catalog catalog.json",
    action: .blocking { arguments in
      let configuration = try ServerConfiguration(arguments)
      // Before any other thread, since threads inherit the mask that holds the signals back.
      let orders = try Orders()
      let server = try RunningServer(configuration)
      Console.sayAtOnce("listening on \(server.endpoint)")
      orders.begin()
      while orders.next() == .reload { server.reloadCatalog() }
      try server.end()
      return .success
    })
}

extension Option {
  fileprivate static let data = Option(
    "--data", "DIR", "where everything is kept; made if it is missing", default: "./latchkey-data")
  fileprivate static let listen = Option(
    "--listen", "HOST:PORT", "the loopback address to listen on; port 0 takes a free one", default: connect.defaultValue)
  fileprivate static let loops = Option(
    "--loops", "N", "the number of event loops, each a thread", defaultMeaning: "one for each core")
  fileprivate static let catalog = Option(
    "--catalog", "FILE", "which entitlements each product grants, as JSON",
    defaultMeaning: "the catalog last used with this data, else each product grants the entitlement of its own name")
}

/// How a server was asked to run.
struct ServerConfiguration {
  let dataDirectory: String
  let endpoint: Endpoint
  let loops: Int
  let settings: Settings
  let catalogPath: String?

  init(_ arguments: Arguments) throws(UsageError) {
    settings = try Settings(arguments)
    dataDirectory = arguments.text(.data) ?? ""
    catalogPath = arguments.text(.catalog)
    let numeric = "a numeric address and a port such as 127.0.0.1:7450 or [::1]:7450"
    endpoint = try arguments.value(.listen, expecting: numeric) { Endpoint($0) } ?? .loopback()
    loops =
      try arguments.value(.loops, expecting: "a number from 1 to 256") { text in
        Int(text).flatMap { (1...256).contains($0) ? $0 : nil }
      } ?? ServerConfiguration.coreCount
  }

  private static var coreCount: Int { min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 256) }
}

/// What signals ask of a server, in their order.
struct Orders: Sendable {
  enum Order: Sendable { case reload, end }

  private struct State {
    var waiting: [Order] = []
    /// Until then a signal that ends the process does so at once: nothing has been promised to anyone.
    var hasBegun = false
  }

  private let state = AwaitedValue(State())

  /// Begins to hear SIGTERM, SIGINT and SIGHUP.
  init() throws(SystemError) {
    Signals.ignoreBrokenPipes()
    try Signals.deliver([SIGTERM, SIGINT, SIGHUP]) { [state] number in
      let endsNow = state.update { state in
        state.waiting.append(number == SIGHUP ? .reload : .end)
        return number != SIGHUP && !state.hasBegun
      }
      if endsNow { exit(ExitStatus.success.rawValue) }
    }
  }

  /// Says that the server is ready to follow orders.
  func begin() { state.update { $0.hasBegun = true } }

  /// Waits for the next order.
  func next() -> Order { state.wait { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() } }
}
