import Platform

/// A load from its begin to its end, on threads of its own.
package enum LoadRun {
  /// The calls of a run.
  package enum Calls: Sendable {
    case drawn(DrawnLoad)
    /// What fills a server with a population, at a moment in milliseconds since 1970.
    case filling(Population, at: Int64)
  }

  /// Puts a load on a server and waits for its end, on the calling thread.
  /// - Parameter told: is called once a second, also in the warm-up.
  /// - Throws: why no call could be made. A trouble later on is in the result.
  package static func run(
    _ plan: LoadPlan, _ calls: Calls, told: (LoadSecond) -> Void
  ) throws(LoadTrouble) -> LoadResult {
    switch plan.language {
    case .latchkey: try run(plan, calls, speaking: LatchkeyDialect(), told: told)
    case .redis: try run(plan, calls, speaking: RedisDialect(), told: told)
    }
  }

  private static func run<Language: Dialect>(
    _ plan: LoadPlan, _ calls: Calls, speaking dialect: Language, told: (LoadSecond) -> Void
  ) throws(LoadTrouble) -> LoadResult {
    let progress = Progress(threads: plan.threads)
    for number in 0..<plan.threads {
      try startThread(number) {
        switch calls {
        case .drawn(let load):
          LoadRun.work(number, plan, DrawnCalls(load, in: dialect, thread: number), dialect, progress)
        case .filling(let population, let now):
          let filling = FillingCalls(population, in: dialect, at: now, thread: number, of: plan.threads)
          LoadRun.work(number, plan, filling, dialect, progress)
        }
      }
    }
    _ = try progress.start(plan, within: plan.connectingNanoseconds)
    var result = LoadResult(plan)
    while let (second, tally) = progress.nextSecond() {
      if let shown = result.add(tally, ofSecond: second) { told(shown) }
    }
    result.add(progress.ending())
    return result
  }

  private static func startThread(_ number: Int, _ body: @escaping @Sendable () -> Void) throws(LoadTrouble) {
    do { _ = try Thread(named: "load \(number)", body) } catch { throw .system(error) }
  }

  /// What a thread does: connects, waits for the others, and works.
  private static func work<Language: Dialect>(
    _ number: Int, _ plan: LoadPlan, _ source: some CallSource, _ dialect: Language, _ progress: Progress
  ) {
    do throws(SystemError) {
      let queue = try EventQueue()
      var connections: [LoadConnection<Language>] = []
      for token in 0..<plan.connections(ofThread: number) {
        let connection = try LoadConnection(to: plan.endpoint, speaking: dialect)
        try connection.watch(by: queue, token: UInt64(token))
        connections.append(connection)
      }
      let latest = Clock.monotonicNanoseconds() + 2 * plan.connectingNanoseconds
      guard let times = progress.awaitStart(until: latest) else { return }
      var thread = LoadThread(
        number, of: plan, times, connections: connections, queue: queue, source: source, progress: progress)
      progress.finish(thread.run())
    } catch {
      progress.fail(.system(error))
    }
  }
}
