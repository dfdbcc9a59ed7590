import Entitlements

extension Command {
  static let bench = Command(
    name: "bench", summary: "loads a server with calls, or fills it with customers, and says how fast that goes",
    operands: [
      Operand(
        name: "WORK", meaning: "load: fills a server with customers, and no more; without it calls are made", isRequired: false)
    ],
    options: Option.benching + Option.comparing + Option.comparisons,
    example: "latchkey bench --rate 20000 --mix check=99,history=1 --keys zipf --html report.html",
    action: .concurrent { arguments in
      if let comparison = Option.comparisons.first(where: arguments.has) {
        try arguments.checkComparison(comparison)
        try await compare(comparison, BenchLoad(arguments))
        return .success
      }
      if arguments.has(.callers) { throw UsageError("--callers is for comparisons; see --connections and --depth") }
      switch arguments.words.first {
      case nil: return try await LoadBench(arguments).run()
      case "load": return try await LoadBench(filling: arguments).run()
      case let work?: throw UsageError("there is no work \(work) of bench; there is: load")
      }
    })

  private static func compare(_ comparison: Option, _ load: BenchLoad) async throws {
    switch comparison.name {
    case Option.checkCounts.name: try await CountingComparison(load: load).run()
    case Option.besideSnapshots.name: try await LongWorkComparison(load: load, work: .snapshots).run()
    case Option.besideRebuilds.name: try await LongWorkComparison(load: load, work: .rebuilds).run()
    default: try await WatchingComparison(load: load).run()
    }
  }
}

extension Arguments {
  /// Checks that a comparison stands alone, with options that it has.
  fileprivate func checkComparison(_ comparison: Option) throws(UsageError) {
    if let work = words.first { throw UsageError("\(comparison.name) is a work of its own; leave out \(work)") }
    if has(.benchConnect) { throw UsageError("\(comparison.name) starts servers of its own; leave out --connect") }
    let others = (Option.benching + Option.comparisons).filter { option in
      option.name != comparison.name && !Option.comparing.contains { $0.name == option.name }
        && ![Option.benchCustomers, .benchSeconds, .benchDeadline].contains { $0.name == option.name }
    }
    if let other = others.first(where: has) { throw UsageError("\(other.name) isn't an option of \(comparison.name)") }
  }
}
