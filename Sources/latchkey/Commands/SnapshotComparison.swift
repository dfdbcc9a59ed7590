import Entitlements
import LatchkeyClient
import LatchkeyWire
import Platform

/// Compares a server that takes one snapshot after the other with itself while it takes none: how long checks and recordings take,
/// and how much memory it has.
///
/// Rounds take turns as in A, B, B, A, so that whatever else the machine does meets both, and what one leaves behind, such as pages
/// that are still to be written, meets the other no more than itself. What counts is the ratio. Each recording changes a
/// transaction that is there already, which is what a snapshot has to keep memory for.
struct SnapshotComparison {
  let load: BenchLoad

  /// How long one of the four is measured before it is another's turn.
  private static let round = Duration.seconds(1)
  /// How many calls are under way while customers are recorded before all.
  private static let fillingCallers = 256

  /// Runs as many rounds of each as the load has seconds, and says what they showed.
  func run() async throws {
    let server = try await RehearsedServer(settings: Settings(), catalog: Catalog(), options: SnapshotTiming.neverWords)
    let bench = Bench(latchkey: server.latchkey, load: load)
    var filling = load
    filling.callers = SnapshotComparison.fillingCallers
    try await Bench(latchkey: server.latchkey, load: filling).recordAll()
    var (alone, beside) = (Round(), Round())
    var memory = MemoryGrowth()
    var snapshotCount = 0
    for number in 0..<Int64(load.seconds) * 2 {
      guard [1, 2].contains(number % 4) else {
        alone.add(try await measure(bench, version: number + 1))
        continue
      }
      try memory.begin(server)
      let isOver = Guarded(false)
      let snapshots = takeSnapshots(of: server.latchkey, until: isOver)
      beside.add(try await measure(bench, version: number + 1))
      isOver.withLock { $0 = true }
      snapshotCount += try await snapshots.value
      memory.end(server)
    }
    bench.report("checks", alone.checks)
    bench.report("checks beside snapshots", beside.checks)
    bench.report("recordings", alone.recordings)
    bench.report("recordings beside snapshots", beside.recordings)
    Console.say("\(counted(snapshotCount, "snapshot")); \(memory.words)")
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
      checks: try await bench.check(for: SnapshotComparison.round),
      recordings: try await bench.change(for: SnapshotComparison.round, version: version))
  }

  /// Takes snapshots one after the other, each of a revision of its own, until it is over; gives how many.
  private func takeSnapshots(of latchkey: Latchkey, until isOver: Guarded<Bool>) -> Task<Int, any Error> {
    Task {
      var count = 0
      while !isOver.withLock({ $0 }) {
        var request = RecordTransactionRequest()
        request.customerID = "snapshots"
        request.transaction = .with {
          $0.transactionID = "snapshot \(Clock.monotonicNanoseconds())"
          $0.productID = "bench.snapshot"
          $0.purchaseDateMilliseconds = 1_767_225_600_000
        }
        _ = try await latchkey.recordTransaction(request)
        _ = try await latchkey.takeSnapshot(deadline: .never)
        count += 1
      }
      return count
    }
  }

  /// By how much a server's memory grew in the rounds with snapshots, at most.
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
      return "memory \(greatest.before >> 20) MiB before, at most \(greatest.peak >> 20) MiB beside them: "
        + "\(Double(Int(share * 10)) / 10) % more"
    }
  }
}
