/// What came of the calls that were answered in some time.
package struct Tally: Equatable, Sendable {
  /// Of the calls that went well.
  package var latencies = Histogram()
  package var verdicts = Verdicts()
  /// By the name of the status. The failures of single checks in batches are in ``verdicts``.
  package var failures: [String: Int] = [:]

  package init() {}

  /// How many calls failed.
  package var failureCount: Int { failures.values.reduce(0, +) }

  /// Adds what came in another time, or to another thread.
  package mutating func add(_ other: Tally) {
    latencies.add(other.latencies)
    verdicts.add(other.verdicts)
    failures.merge(other.failures, uniquingKeysWith: +)
  }
}

/// What one thread found out beside what it told each second.
struct ThreadFindings: Sendable {
  /// Of the calls that count and went well, by the number of their kind; with them those that got no answer, with the time that
  /// they had waited.
  var latenciesByKind = Array(repeating: Histogram(), count: CallKind.allCases.count)
  /// How late calls were made that could have been made when they were due.
  var lags = Histogram()
  /// How many calls were due while all connections had as many calls in flight as they may.
  var waitedForPlace = 0
  /// How many calls were due before the end and couldn't be made, and the time that they had waited then.
  var unsent = 0
  var unsentLatencies = Histogram()
  /// How many calls were made and not answered.
  var unanswered = 0
  /// The processor time of the thread, and the time that passed, in nanoseconds.
  var (processorNanoseconds, elapsedNanoseconds): (UInt64, UInt64) = (0, 0)
  /// How many calls were answered in all, those before the counted ones too.
  var answers = 0
}
