/// What a load showed.
package struct LoadResult: Sendable {
  package let plan: LoadPlan
  /// The seconds of calls that count, in order; behind the last that was planned those in which late answers came.
  package private(set) var seconds: [LoadSecond] = []
  /// Of all calls that count and were answered.
  package private(set) var tally = Tally()
  /// Of each kind that was called and of all: calls that were answered well, those that weren't answered, and in the latter those
  /// that couldn't be made, with the time that they had waited.
  package private(set) var latenciesByKind: [(kind: CallKind, latencies: Histogram)] = []
  package private(set) var latencies = Histogram()
  /// How late calls of an open schedule were made, though there was room for them.
  package private(set) var lags = Histogram()
  /// How many calls were due while all connections had as many in flight as they may.
  package private(set) var waitedForPlace = 0
  /// How many calls were due before the end and couldn't be made.
  package private(set) var unsent = 0
  /// How many calls were made and not answered.
  package private(set) var unanswered = 0
  /// How many calls were answered, those of the warm-up too.
  package private(set) var answersInAll = 0
  /// Which share of a core each thread of the load took.
  package private(set) var threadShares: [Double] = []
  /// How long the calls that count were made, in seconds.
  package private(set) var measuredSeconds = 0.0
  /// Why it ended before its end.
  package private(set) var trouble: LoadTrouble?

  init(_ plan: LoadPlan) { self.plan = plan }

  /// How many calls were answered well in a second of those in which calls were made.
  package var rate: Double {
    let answers = seconds.filter { !$0.isAfterEnd }.reduce(0) { $0 + $1.answers }
    return measuredSeconds > 0 ? Double(answers) / measuredSeconds : 0
  }

  /// Adds what all threads told of a second since the start, and gives it as it is shown; nil for one behind the end without an answer.
  mutating func add(_ tally: Tally, ofSecond second: Int) -> LoadSecond? {
    let counted = second - plan.warmUpSeconds
    let shown = LoadSecond(tally, second: counted, isAfterEnd: counted >= plan.seconds ?? .max)
    guard shown.second >= 0 else { return shown }
    if shown.isAfterEnd, shown.answers + shown.failures == 0 { return nil }
    seconds.append(shown)
    self.tally.add(tally)
    return shown
  }

  /// Adds what the threads found.
  mutating func add(_ ending: (findings: [ThreadFindings], trouble: LoadTrouble?)) {
    trouble = ending.trouble
    for kind in CallKind.allCases {
      var latencies = Histogram()
      for findings in ending.findings { latencies.add(findings.latenciesByKind[Int(kind.rawValue)]) }
      self.latencies.add(latencies)
      if latencies.count > 0 { latenciesByKind.append((kind, latencies)) }
    }
    for findings in ending.findings { add(findings) }
    let elapsed = ending.findings.map { Double($0.elapsedNanoseconds) / 1e9 }.max() ?? 0
    measuredSeconds = min(plan.seconds.map(Double.init) ?? .infinity, max(0, elapsed - Double(plan.warmUpSeconds)))
  }

  private mutating func add(_ findings: ThreadFindings) {
    latencies.add(findings.unsentLatencies)
    lags.add(findings.lags)
    waitedForPlace += findings.waitedForPlace
    unsent += findings.unsent
    unanswered += findings.unanswered
    answersInAll += findings.answers
    threadShares.append(Double(findings.processorNanoseconds) / Double(max(findings.elapsedNanoseconds, 1)))
  }
}

/// One second of a load, in figures.
package struct LoadSecond: Equatable, Sendable {
  /// Since calls count; below zero in the warm-up.
  package let second: Int
  /// Whether no more calls were made in it, and only late answers came.
  package let isAfterEnd: Bool
  /// How many calls were answered well.
  package let answers: Int
  package let failures: Int
  /// In nanoseconds, of those that were answered well; 0 without any.
  package let (median, percentile99, maximum): (UInt64, UInt64, UInt64)

  package init(_ tally: Tally, second: Int, isAfterEnd: Bool) {
    (self.second, self.isAfterEnd) = (second, isAfterEnd)
    answers = Int(tally.latencies.count)
    failures = tally.failureCount
    (median, percentile99) = (tally.latencies.value(at: 0.5), tally.latencies.value(at: 0.99))
    maximum = tally.latencies.maximum
  }
}
