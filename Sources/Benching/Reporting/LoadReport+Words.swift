extension LoadReport {
  /// The report for a terminal.
  package var words: String {
    let figures = [("answers", answers), ("verdicts", verdicts), ("failed", failures)]
    let lines = LoadReport.columns(settings.map { ($0.name, $0.value) } + figures) + latencies + LoadReport.columns(costs)
    return (lines + warnings.map { "Warning: \($0)" }).joined(separator: "\n")
  }

  private var answers: String {
    let wanted = wantedRate.map { " of \($0.grouped) wanted" } ?? ""
    return "\(Int(result.tally.latencies.count).grouped), \(result.rate.grouped) a second\(wanted)"
  }

  private var verdicts: String {
    let verdicts = result.tally.verdicts
    let all = Double(verdicts.allowed + verdicts.denied + verdicts.unknown)
    guard all > 0 else { return "" }
    let shares = [("allowed", verdicts.allowed), ("denied", verdicts.denied), ("unknown customer", verdicts.unknown)]
    return shares.map { "\((Double($0.1) / all).asPercentage) \($0.0)" }.joined(separator: ", ")
  }

  private var failures: String {
    var counts = result.tally.failures.merging(result.tally.verdicts.failures, uniquingKeysWith: +)
    if result.unanswered > 0 { counts["no answer"] = result.unanswered }
    if result.unsent > 0 { counts["not made in time"] = result.unsent }
    if counts.isEmpty { return "0" }
    return counts.sorted { $0.key < $1.key }.map { "\($0.value.grouped) \($0.key)" }.joined(separator: ", ")
  }

  private var latencies: [String] {
    let heads = LoadReport.shares.map(\.name) + ["maximum", "mean"]
    let rows = [("latency", heads), ("all", LoadReport.figures(result.latencies))]
    let kinds = result.latenciesByKind.count > 1 ? result.latenciesByKind : []
    let all = rows + kinds.map { ($0.kind.name, LoadReport.figures($0.latencies)) }
    return all.map { name, figures in
      name.padded(to: LoadReport.width) + figures.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }
  }

  /// The latencies of a histogram in the order of the heads.
  static func figures(_ histogram: Histogram) -> [String] {
    shares.map { histogram.value(at: $0.share).asDuration } + [histogram.maximum.asDuration, UInt64(histogram.mean).asDuration]
  }

  /// What the load cost both sides.
  var costs: [(String, String)] {
    let lag = wantedRate == nil ? "" : "p99 \(result.lags.value(at: 0.99).asDuration), maximum \(result.lags.maximum.asDuration)"
    return [
      ("made late by", lag),
      ("load's threads", result.threadShares.map { $0.asPercentage }.joined(separator: ", ") + " of a core"),
      ("server", serverNanosecondsPerCall.map { "\(UInt64($0).asDuration) of processor time a call" } ?? ""),
    ]
  }

  private static let width = 16

  /// The rows that say something, in two columns.
  private static func columns(_ rows: [(String, String)]) -> [String] {
    rows.filter { !$0.1.isEmpty }.map { $0.0.padded(to: width) + $0.1 }
  }
}

extension LoadSecond {
  /// The second as a line of progress.
  package var words: String {
    let name = second < 0 ? "warm-up" : isAfterEnd ? "after it" : "second \(second + 1)"
    let failed = failures > 0 ? ", \(failures.grouped) failed" : ""
    return name.padded(to: 12) + "\(answers.grouped) answers\(failed), p50 \(median.asDuration), p99 \(percentile99.asDuration), "
      + "maximum \(maximum.asDuration)"
  }
}
