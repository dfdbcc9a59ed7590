import Benching
import Platform

extension Option {
  /// What a load has.
  static let benching: [Option] = [
    benchConnect, redis, benchCustomers, seed, connections, depth, threads, rate, arrivals, mix, batch, keys, warmUp,
    benchSeconds, benchDeadline, process, html, benchJSON,
  ]
  /// What only comparisons have.
  static let comparing: [Option] = [callers]
  /// The comparisons.
  static let comparisons: [Option] = [checkCounts, besideSnapshots, besideRebuilds, watchers]

  static let benchConnect = Option(
    "--connect", "HOST:PORT", "the server to load; it keeps what is recorded",
    defaultMeaning: "one of its own on a fresh directory, filled before and removed at the end")
  fileprivate static let redis = Option(
    "--redis", "HOST:PORT", "a Redis to load instead, with a GET, MGET or HSET for check, batch and record",
    defaultMeaning: "none"
  )
  static let benchCustomers = Option("--customers", "COUNT", "how many customers there are", default: "20000")
  fileprivate static let seed = Option("--seed", "NUMBER", "which customers there are, and which are asked about", default: "1")
  fileprivate static let connections = Option("--connections", "COUNT", "how many connections carry the calls", default: "8")
  fileprivate static let depth = Option(
    "--depth", "COUNT", "how many calls of a connection may be in flight", defaultMeaning: "8; with --rate 256; with load 32")
  fileprivate static let threads = Option("--threads", "COUNT", "how many threads make the calls", default: "1")
  fileprivate static let rate = Option(
    "--rate", "COUNT", "an open loop: how many calls are due a second, whatever the server does",
    defaultMeaning: "a closed loop: a call is made when another was answered")
  fileprivate static let arrivals = Option(
    "--arrivals", "KIND", "with --rate: whether calls are due at constant distances or by chance: constant or poisson",
    defaultMeaning: "constant")
  fileprivate static let mix = Option(
    "--mix", "CALLS", "the calls, with weights: check, batch, record, list, history, explain, such as check=99,history=1",
    default: "check")
  fileprivate static let batch = Option("--batch", "COUNT", "how many customers a batch asks about", default: "64")
  fileprivate static let keys = Option(
    "--keys", "KIND", "which customers are asked about: uniform, zipf:EXPONENT, or hot:SHARE of one family", default: "uniform")
  fileprivate static let warmUp = Option("--warm-up", "SECONDS", "how long calls are made before those that count", default: "1")
  static let benchSeconds = Option(
    "--seconds", "COUNT", "how long calls that count are made; with a comparison how many rounds", default: "10")
  static let benchDeadline = Option("--deadline", "SECONDS", "how long an answer may take", default: "10")
  fileprivate static let process = Option(
    "--process", "ID", "the server's process, if it runs on this machine, whose processor time is told then",
    defaultMeaning: "that of the bench's own server")
  fileprivate static let html = Option("--html", "FILE", "writes a report with charts, a page that needs nothing else")
  fileprivate static let benchJSON = Option(flag: "--json", "prints the summary as JSON; in words it goes to standard error then")

  static let callers = Option(
    "--callers", "COUNT", "with a comparison: how many calls are under way at once", default: "64")
  static let checkCounts = Option(
    flag: "--check-counts", "compares the processor time of a check on two own servers, with and without counts of allowed checks"
  )
  static let besideSnapshots = Option(
    flag: "--snapshots",
    "compares checks, recordings and memory of an own server while it takes snapshots with the same while it takes none")
  static let besideRebuilds = Option(
    flag: "--rebuilds", "compares the same while it rebuilds everyone with the same while it doesn't")
  static let watchers = Option(
    flag: "--watchers",
    "compares the processor time of a recording on own servers with no, one and a thousand watchers, in as many rounds as --seconds"
  )
}

extension Arguments {
  /// A whole number within bounds.
  func count(_ option: Option, _ range: ClosedRange<Int>, otherwise: Int = 0) throws(UsageError) -> Int {
    try value(option, expecting: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    } ?? otherwise
  }

  /// The server that is loaded; nil: one of the bench's own.
  func benchTarget() throws(UsageError) -> (endpoint: Endpoint, language: LoadPlan.Language)? {
    if has(.benchConnect), has(.redis) { throw UsageError("expected one of --connect and --redis") }
    let option: Option = has(.redis) ? .redis : .benchConnect
    let endpoint = try value(option, expecting: "an address in digits and a port, such as 127.0.0.1:7450") { Endpoint($0) }
    return endpoint.map { ($0, has(.redis) ? .redis : .latchkey) }
  }

  /// How the load is put on a server, whose address may still be replaced.
  func loadPlan(isFilling: Bool) throws(UsageError) -> LoadPlan {
    let target = try benchTarget()
    var plan = LoadPlan(endpoint: target?.endpoint ?? .loopback())
    plan.language = target?.language ?? .latchkey
    plan.seed = try benchSeed()
    plan.connections = try count(.connections, 1...LoadPlan.connectionLimit)
    plan.threads = try count(.threads, 1...min(LoadPlan.threadLimit, plan.connections))
    if !isFilling { plan.pace = try pace() }
    plan.depth = try count(.depth, 1...LoadPlan.depthLimit, otherwise: isFilling ? 32 : plan.pace == .closed ? 8 : 256)
    guard plan.connections * plan.depth <= LoadPlan.callsInFlightLimit else {
      throw UsageError("--depth: no more than \(LoadPlan.callsInFlightLimit) calls may be in flight on all connections together")
    }
    plan.warmUpSeconds = isFilling ? 0 : try count(.warmUp, 0...3_600)
    plan.seconds = isFilling ? nil : try count(.benchSeconds, 1...3_600)
    plan.deadline = try deadlineNanoseconds()
    return plan
  }

  private func pace() throws(UsageError) -> Pace {
    let rate = try value(.rate, expecting: "calls a second from 0.1 to 10000000") { text in
      Double(text).flatMap { (0.1...10_000_000).contains($0) ? $0 : nil }
    }
    let arrivals = try value(.arrivals, expecting: "constant or poisson") { Pace.Arrivals(rawValue: $0) }
    if rate == nil, arrivals != nil { throw UsageError("--arrivals needs --rate") }
    return rate.map { .open(callsPerSecond: $0, arrivals ?? .constant) } ?? .closed
  }

  private func deadlineNanoseconds() throws(UsageError) -> UInt64 {
    try value(.benchDeadline, expecting: "seconds from 0.001 to 3600") { text in
      Double(text).flatMap { (0.001...3_600).contains($0) ? UInt64($0 * 1e9) : nil }
    } ?? 0
  }

  private func benchSeed() throws(UsageError) -> UInt64 {
    try value(.seed, expecting: "a whole number that isn't negative") { UInt64($0) } ?? 0
  }

  /// The customers that there are.
  func population() throws(UsageError) -> Population {
    Population(customerCount: try count(.benchCustomers, 1...Population.customerLimit), seed: try benchSeed())
  }

  /// The calls that are made on a server.
  func drawnLoad(on language: LoadPlan.Language) throws(UsageError) -> DrawnLoad {
    let expected = "calls such as check=99,history=1, with weights from 1 to \(CallMix.weightLimit)"
    guard let mix = try value(.mix, expecting: expected, CallMix.init), let keys = try keyDistribution() else {
      preconditionFailure("--mix and --keys have defaults")
    }
    if let strange = mix.weights.first(where: { !language.kinds.contains($0.kind) }) {
      throw UsageError("--mix: \(language.name) has no call like \(strange.kind.name)")
    }
    return DrawnLoad(
      population: try population(), mix: mix, keys: keys, batch: try count(.batch, 1...1_000), seed: try benchSeed())
  }

  private func keyDistribution() throws(UsageError) -> KeyDistribution? {
    let expected = "uniform, zipf, zipf:EXPONENT from 0.01 to 10, hot, or hot:SHARE from 0.001 to 1"
    return try value(.keys, expecting: expected, KeyDistribution.init)
  }

  /// Checks that no option was given that has no meaning for filling a server.
  func checkFilling() throws(UsageError) {
    let strange: [Option] = [.rate, .arrivals, .mix, .batch, .keys, .warmUp, .benchSeconds]
    if let option = strange.first(where: has) { throw UsageError("\(option.name) isn't an option of load") }
    if !has(.benchConnect), !has(.redis) {
      throw UsageError("load needs --connect or --redis; a server of bench's own is filled anyway")
    }
  }

  /// The process whose processor time is told; nil: none is named.
  func serverProcess() throws(UsageError) -> Int32? {
    if has(.process), !has(.benchConnect), !has(.redis) { throw UsageError("--process needs --connect or --redis") }
    return try value(.process, expecting: "the id of a process that runs on this machine") { text in
      Int32(text).flatMap { $0 > 0 && Clock.processorNanoseconds(ofProcess: $0) != nil ? $0 : nil }
    }
  }

  /// Where the report with charts goes; nil: there is none.
  var reportPath: String? { text(.html) }
  var printsJSON: Bool { has(.benchJSON) }
}
