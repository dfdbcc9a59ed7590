import JSON

extension LoadReport {
  /// The report for programs; `docs/bench.md` says what each field means. Times are in nanoseconds unless their name says otherwise.
  package var json: JSONValue {
    let verdicts = result.tally.verdicts
    return [
      "server": .string(result.plan.language.name),
      "settings": .object(settings.map { .init(key: $0.name, value: .string($0.value)) }),
      "measured_seconds": .fraction(result.measuredSeconds),
      "answers": .integer(Int64(result.tally.latencies.count)),
      "answers_per_second": .fraction(result.rate),
      "wanted_per_second": wantedRate.map(JSONValue.fraction) ?? .null,
      "verdicts": [
        "allowed": .integer(Int64(verdicts.allowed)), "denied": .integer(Int64(verdicts.denied)),
        "unknown_customer": .integer(Int64(verdicts.unknown)),
      ],
      "failures": LoadReport.counts(result.tally.failures),
      "failures_in_batches": LoadReport.counts(verdicts.failures),
      "unanswered": .integer(Int64(result.unanswered)),
      "unsent": .integer(Int64(result.unsent)),
      "waited_for_room": .integer(Int64(result.waitedForPlace)),
      "latency_ns": LoadReport.json(result.latencies),
      "calls": .object(result.latenciesByKind.map { .init(key: $0.kind.name, value: LoadReport.json($0.latencies)) }),
      "lag_ns": LoadReport.json(result.lags),
      "thread_shares": .array(result.threadShares.map(JSONValue.fraction)),
      "server_ns_per_call": serverNanosecondsPerCall.map(JSONValue.fraction) ?? .null,
      "seconds": .array(result.seconds.map(LoadReport.json)),
      "warnings": .array(warnings.map(JSONValue.string)),
    ]
  }

  private static func counts(_ counts: [String: Int]) -> JSONValue {
    .object(counts.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: .integer(Int64($0.value))) })
  }

  private static func json(_ histogram: Histogram) -> JSONValue {
    let shares = shares.map { JSONValue.Member(key: $0.name, value: .integer(Int64(histogram.value(at: $0.share)))) }
    let rest: [JSONValue.Member] = [
      .init(key: "maximum", value: .integer(Int64(histogram.maximum))), .init(key: "mean", value: .fraction(histogram.mean)),
    ]
    return .object([.init(key: "count", value: .integer(Int64(histogram.count)))] + shares + rest)
  }

  private static func json(_ second: LoadSecond) -> JSONValue {
    [
      "second": .integer(Int64(second.second)), "answers": .integer(Int64(second.answers)),
      "failures": .integer(Int64(second.failures)), "p50_ns": .integer(Int64(second.median)),
      "p99_ns": .integer(Int64(second.percentile99)), "maximum_ns": .integer(Int64(second.maximum)),
    ]
  }
}
