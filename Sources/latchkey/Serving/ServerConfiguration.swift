import Entitlements
import Platform
import Service

/// How a server was asked to run.
struct ServerConfiguration {
  let dataDirectory: String
  let endpoint: Endpoint
  let loops: Int
  let settings: Settings
  let catalogPath: String?
  /// How many customers a new catalog may cut without force.
  let catalogCutLimit: CutLimit
  /// Whether the catalog is taken at the start whatever it cuts.
  let forcesCatalog: Bool

  /// How long the journal is kept beyond what a start needs.
  let keptJournalDays: Int64

  let snapshotTiming: SnapshotTiming

  let countsChecks: Bool
  let watching: WatchOptions

  /// The options that say so.
  static let options =
    [.data, .keepJournal, .listen, .loops, .catalog, .catalogCutLimit, .forceCatalog, .withoutCheckCounts]
    + SnapshotTiming.options + WatchOptions.options + Settings.options

  init(_ arguments: Arguments) throws(UsageError) {
    settings = try Settings(arguments)
    dataDirectory = arguments.text(.data) ?? ""
    catalogPath = arguments.text(.catalog)
    catalogCutLimit =
      try arguments.value(.catalogCutLimit, expecting: "a percentage from 0 to 100 such as 1 or 0.5") { CutLimit(percent: $0) }
      ?? .default
    forcesCatalog = arguments.has(.forceCatalog)
    keptJournalDays =
      try arguments.value(.keepJournal, expecting: "a number of days from 0 to 36500") { text in
        Int64(text).flatMap { (0...36_500).contains($0) ? $0 : nil }
      } ?? 0
    snapshotTiming = try SnapshotTiming(arguments)
    countsChecks = !arguments.has(.withoutCheckCounts)
    watching = try WatchOptions(arguments)
    let numeric = "a numeric address and a port such as 127.0.0.1:7450 or [::1]:7450"
    endpoint = try arguments.value(.listen, expecting: numeric) { Endpoint($0) } ?? .loopback()
    guard endpoint.isLoopback else {
      throw UsageError("--listen: \(endpoint) is a public address; only loopback addresses are served until access control comes")
    }
    loops =
      try arguments.value(.loops, expecting: "a number from 1 to 256") { text in
        Int(text).flatMap { (1...256).contains($0) ? $0 : nil }
      } ?? min(Thread.usableProcessorCount, 256)
  }
}

extension CutLimit {
  /// Reads a percentage; nil for anything but a number from 0 to 100, with or without a percent sign.
  fileprivate init?(percent text: String) {
    guard let percent = Double(text.hasSuffix("%") ? String(text.dropLast()) : text), (0...100).contains(percent) else {
      return nil
    }
    self.init(share: percent / 100)
  }
}

extension Option {
  static let withoutCheckCounts = Option(
    flag: "--without-check-counts", "doesn't count allowed checks, which the leak report and consumption answers then lack")
  fileprivate static let data = Option(
    "--data", "DIR", "where everything is kept; made if it is missing", default: "./latchkey-data")
  fileprivate static let keepJournal = Option(
    "--keep-journal", "DAYS", "how long journal and snapshots are kept for `audit`, beyond what a start needs", default: "0")
  fileprivate static let listen = Option(
    "--listen", "HOST:PORT", "the loopback address to listen on; port 0 takes a free one", default: connect.defaultValue)
  fileprivate static let loops = Option(
    "--loops", "N", "the number of event loops, each a thread", defaultMeaning: "one for each core that the server may use")
  fileprivate static let catalog = Option(
    "--catalog", "FILE", "which entitlements each product grants, as JSON",
    defaultMeaning: "the catalog last used with this data, else each product grants the entitlement of its own name")
  fileprivate static let catalogCutLimit = Option(
    "--catalog-cut-limit", "PERCENT",
    "how many customers another catalog may take something from; one that takes more is refused",
    default: "1")
  fileprivate static let forceCatalog = Option(
    flag: "--force-catalog", "takes the catalog at the start, whatever it takes from customers")
}
