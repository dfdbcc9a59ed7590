import Entitlements
import LatchkeyClient
import LatchkeyWire
import Platform

/// Compares a server that does one long work after the other with itself while it does none: how long checks and recordings take, and
/// how much memory it has.
///
/// Rounds take turns as in A, B, B, A, so that whatever else the machine does meets both, and what one leaves behind, such as pages
/// that are still to be written, meets the other no more than itself. What counts is the ratio. Each recording changes a
/// transaction that is there already, which is what a snapshot has to keep memory for.
struct LongWorkComparison {
  let load: BenchLoad
  let work: Work

  /// What the server does beside.
  enum Work: String {
    case snapshots
    /// Of everyone.
    case rebuilds
  }

  /// How long one of the four is measured before it is another's turn.
  private static let round = Duration.seconds(1)
  /// How many calls are under way while customers are recorded before all.
  private static let fillingCallers = 256

  /// Runs as many rounds of each as the load has seconds, and says what they showed.
  func run() async throws {
    let server = try await RehearsedServer(settings: Settings(), catalog: Catalog(), options: SnapshotTiming.neverWords)
    let bench = Bench(latchkey: server.latchkey, load: load)
    var filling = load
    filling.callers = LongWorkComparison.fillingCallers
    try await Bench(latchkey: server.latchkey, load: filling).recordAll()
    var (alone, beside) = (Round(), Round())
    var memory = MemoryGrowth()
    var workCount = 0
    for number in 0..<Int64(load.seconds) * 2 {
      guard [1, 2].contains(number % 4) else {
        alone.add(try await measure(bench, version: number + 1))
        continue
      }
      try memory.begin(server)
      let isOver = Guarded(false)
      let works = workOn(server.latchkey, until: isOver)
      beside.add(try await measure(bench, version: number + 1))
      isOver.withLock { $0 = true }
      workCount += try await works.value
      memory.end(server)
    }
    bench.report("checks", alone.checks)
    bench.report("checks beside \(work.rawValue)", beside.checks)
    bench.report("recordings", alone.recordings)
    bench.report("recordings beside \(work.rawValue)", beside.recordings)
    Console.say("\(workCount) \(work.rawValue); \(memory.words)")
    try await server.end(.kill)
  }

  /// What was measured in one manner.
  private struct Round {
    var checks = Bench.Measurement()
    var recordings = Bench.Measurement()

    mutating func add(_ other: Round) {
      checks.add(other.checks)
      recordings.add(other.recordings)
    }
  }

  private func measure(_ bench: Bench, version: Int64) async throws -> Round {
    Round(
      checks: try await bench.check(for: LongWorkComparison.round),
      recordings: try await bench.change(for: LongWorkComparison.round, version: version))
  }

  /// Has one work done after the other until it is over; gives how many.
  private func workOn(_ latchkey: Latchkey, until isOver: Guarded<Bool>) -> Task<Int, any Error> {
    Task {
      var count = 0
      while !isOver.withLock({ $0 }) {
        switch work {
        case .snapshots: try await takeSnapshot(of: latchkey)
        case .rebuilds: for try await _ in latchkey.rebuildEntitlements(.with { $0.everyone = true }, deadline: .never) {}
        }
        count += 1
      }
      return count
    }
  }

  /// Takes a snapshot of a revision of its own.
  private func takeSnapshot(of latchkey: Latchkey) async throws {
    var request = RecordTransactionRequest()
    request.customerID = "snapshots"
    request.transaction = .with {
      $0.transactionID = "snapshot \(Clock.monotonicNanoseconds())"
      $0.productID = "bench.snapshot"
      $0.purchaseDateMilliseconds = 1_767_225_600_000
    }
    _ = try await latchkey.recordTransaction(request)
    _ = try await latchkey.takeSnapshot(deadline: .never)
  }

  /// By how much a server's memory grew in the rounds with that work, at most.
  private struct MemoryGrowth {
    private var before: UInt64 = 0
    private var greatest: (before: UInt64, peak: UInt64) = (0, 0)

    mutating func begin(_ server: RehearsedServer) throws {
      try server.forgetPeakOfMemory()
      before = server.residentBytes?.now ?? 0
    }

    mutating func end(_ server: RehearsedServer) {
      guard let peak = server.residentBytes?.peak, peak - before >= greatest.peak - greatest.before else { return }
      greatest = (before, peak)
    }

    var words: String {
      let share = Double(greatest.peak - greatest.before) / Double(max(greatest.before, 1)) * 100
      return "memory \(greatest.before >> 20) MiB before, at most \(greatest.peak >> 20) MiB beside it: "
        + "\(Double(Int(share * 10)) / 10) % more"
    }
  }
}
