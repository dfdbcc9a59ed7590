import Entitlements
import Glibc
import Platform

/// How a server was asked to run.
struct ServerConfiguration {
  let dataDirectory: String
  let endpoint: Endpoint
  let loops: Int
  let settings: Settings
  let catalogPath: String?
  let countsChecks: Bool

  /// The options that say so.
  static let options = [.data, .listen, .loops, .catalog, .withoutCheckCounts] + Settings.options

  init(_ arguments: Arguments) throws(UsageError) {
    settings = try Settings(arguments)
    dataDirectory = arguments.text(.data) ?? ""
    catalogPath = arguments.text(.catalog)
    countsChecks = !arguments.has(.withoutCheckCounts)
    let numeric = "a numeric address and a port such as 127.0.0.1:7450 or [::1]:7450"
    endpoint = try arguments.value(.listen, expecting: numeric) { Endpoint($0) } ?? .loopback()
    loops =
      try arguments.value(.loops, expecting: "a number from 1 to 256") { text in
        Int(text).flatMap { (1...256).contains($0) ? $0 : nil }
      } ?? ServerConfiguration.coreCount
  }

  private static var coreCount: Int { min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 256) }
}

extension Option {
  static let withoutCheckCounts = Option(
    flag: "--without-check-counts", "doesn't count allowed checks, which the leak report and consumption answers then lack")
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
