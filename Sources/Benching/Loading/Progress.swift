import Platform

/// Where the threads of a load meet: it starts them together, adds up what they tell of each second, and stops all where one fails.
final class Progress: Sendable {
  private struct State {
    var ready = 0
    var times: LoadTimes?
    /// What threads told of the seconds that aren't complete, or weren't taken yet.
    var seconds: [Int: (tally: Tally, threads: Int)] = [:]
    var nextSecond = 0
    var findings: [ThreadFindings] = []
    var trouble: LoadTrouble?
  }

  private let state = AwaitedValue(State())
  private let threads: Int

  init(threads: Int) { self.threads = threads }

  // MARK: What threads say

  /// Says that a thread has its connections, and waits for the start; nil where there is none.
  func awaitStart(until deadline: UInt64) -> LoadTimes? {
    state.update { $0.ready += 1 }
    return state.wait(untilNanoseconds: deadline) { state -> LoadTimes?? in
      state.trouble != nil ? .some(nil) : state.times.map(Optional.some)
    } ?? nil
  }

  /// Tells of one second; gives false where the thread shall stop.
  func tell(_ tally: Tally, ofSecond second: Int) -> Bool {
    state.update { state in
      state.seconds[second, default: (Tally(), 0)].tally.add(tally)
      state.seconds[second]?.threads += 1
      return state.trouble == nil
    }
  }

  /// Says that a thread is through.
  func finish(_ findings: ThreadFindings) { state.update { $0.findings.append(findings) } }

  /// Says why a thread can't go on; the first such word counts.
  func fail(_ trouble: LoadTrouble) { state.update { $0.trouble = $0.trouble ?? trouble } }

  // MARK: What the caller hears

  /// Starts the threads once all are ready.
  /// - Throws: why one of them isn't.
  func start(_ plan: LoadPlan, within nanoseconds: UInt64) throws(LoadTrouble) -> LoadTimes {
    let ready = state.wait(untilNanoseconds: Clock.monotonicNanoseconds() + nanoseconds) { [threads] state in
      state.trouble.map { Result<Void, LoadTrouble>.failure($0) } ?? (state.ready == threads ? .success(()) : nil)
    }
    guard let ready else {
      fail(.notConnected)
      throw .notConnected
    }
    try ready.get()
    let times = LoadTimes(plan, start: Clock.monotonicNanoseconds())
    state.update { $0.times = times }
    return times
  }

  /// Waits for the next second of which all threads told, or which is over because they are through; nil behind the last.
  func nextSecond() -> (second: Int, tally: Tally)? {
    state.wait { [threads] state -> (second: Int, tally: Tally)?? in
      let second = state.nextSecond
      let told = state.seconds[second]
      let isOver = state.findings.count == threads
      guard told?.threads == threads || isOver else { return nil }
      guard let told = told ?? (state.seconds.isEmpty ? nil : (Tally(), 0)) else { return .some(nil) }
      state.seconds[second] = nil
      state.nextSecond += 1
      return .some((second, told.tally))
    }
  }

  /// What the threads found, once all are through, and why they had to stop, if they had to.
  func ending() -> (findings: [ThreadFindings], trouble: LoadTrouble?) { state.update { ($0.findings, $0.trouble) } }
}
