import Entitlements

/// Compares what a check costs a server that counts allowed checks with one that doesn't, in the same minutes.
///
/// Rounds alternate between the two, so that whatever else the machine does meets both. What counts is the ratio.
struct CountingComparison {
  let load: BenchLoad

  /// How long one server is asked before it is the other's turn.
  private static let round = Duration.milliseconds(500)

  /// One of the two servers, with what it has spent.
  private struct Side {
    let bench: Bench
    let server: RehearsedServer
    var checks = 0
    var nanoseconds: UInt64 = 0

    init(_ load: BenchLoad, options: [String]) async throws {
      server = try await RehearsedServer(settings: Settings(), catalog: Catalog(), options: options)
      bench = Bench(latchkey: server.latchkey, load: load)
      try await bench.recordAll()
    }

    mutating func check(for duration: Duration) async throws {
      let before = server.processorNanoseconds ?? 0
      checks += try await bench.countChecks(for: duration)
      nanoseconds += (server.processorNanoseconds ?? before) - before
    }

    var nanosecondsPerCheck: Double { Double(nanoseconds) / Double(max(checks, 1)) }
  }

  /// Runs the rounds, and says what they showed.
  func run() async throws {
    var counting = try await Side(load, options: [])
    var plain = try await Side(load, options: [Option.withoutCheckCounts.name])
    for _ in 0..<load.seconds {
      try await counting.check(for: CountingComparison.round)
      try await plain.check(for: CountingComparison.round)
    }
    let ratio = counting.nanosecondsPerCheck / plain.nanosecondsPerCheck
    Console.say(
      "server's processor time of a check: \(Int(counting.nanosecondsPerCheck)) ns with counts (\(counting.checks) checks), "
        + "\(Int(plain.nanosecondsPerCheck)) ns without (\(plain.checks)), ratio \(Double(Int(ratio * 1_000)) / 1_000)")
    try await counting.server.end(.kill)
    try await plain.server.end(.kill)
  }
}
