/// What is told of a load: its settings, what it showed, and what a reader must know before trusting it.
package struct LoadReport: Sendable {
  /// The settings in words, in order.
  package let settings: [(name: String, value: String)]
  package let result: LoadResult
  /// The processor time that the server took during the load, in nanoseconds; nil where that isn't known.
  package let serverNanoseconds: UInt64?

  /// Makes the report of a load.
  package init(settings: [(name: String, value: String)], result: LoadResult, serverNanoseconds: UInt64? = nil) {
    (self.settings, self.result, self.serverNanoseconds) = (settings, result, serverNanoseconds)
  }

  /// The shares of calls at which latencies are told, with their names.
  package static let shares: [(name: String, share: Double)] = [
    ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999),
  ]

  /// The rate that an open schedule wanted; nil for a closed one.
  package var wantedRate: Double? {
    if case .open(let rate, _) = result.plan.pace { rate } else { nil }
  }

  /// The server's processor time of a call, in nanoseconds.
  package var serverNanosecondsPerCall: Double? {
    serverNanoseconds.map { Double($0) / Double(max(result.answersInAll, 1)) }
  }

  /// What went differently than the settings promise, each in a sentence.
  package var warnings: [String] {
    [trouble, strangers, lateness, saturation, shortfall].compactMap(\.self)
  }

  private var trouble: String? { result.trouble.map { "The load ended early: \($0)." } }

  private var strangers: String? {
    let verdicts = result.tally.verdicts
    guard verdicts.unknown > (verdicts.allowed + verdicts.denied + verdicts.unknown) / 2 else { return nil }
    return "Most customers that were asked about are unknown to the server. Fill it with `latchkey bench load` and the same "
      + "--customers and --seed."
  }

  /// How late calls may be made before that is a warning, in nanoseconds.
  private static let toleratedLag: UInt64 = 100_000

  private var lateness: String? {
    let (lag, latency) = (result.lags.value(at: 0.99), result.latencies.value(at: 0.99))
    guard lag > LoadReport.toleratedLag, lag > latency / 2 else { return nil }
    return "The load itself was late: it made the latest 1 % of calls \(lag.asDuration) or more after they were due though there "
      + "was room for them, a great part of their latency. Use more --threads, or a machine with more idle cores."
  }

  private var saturation: String? {
    guard let busiest = result.threadShares.max(), busiest > 0.9 else { return nil }
    return "A thread of the load took \(busiest.asPercentage) of a core, so that its own speed was measured. Use more --threads."
  }

  private var shortfall: String? {
    guard let wantedRate, result.rate < wantedRate * 0.99 else { return nil }
    return "The wanted rate wasn't reached: \(result.rate.grouped) instead of \(wantedRate.grouped) calls a second were "
      + "answered, \(result.waitedForPlace.grouped) had to wait until earlier ones were answered, and \(result.unsent.grouped) weren't made."
  }
}
