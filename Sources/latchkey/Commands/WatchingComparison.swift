import Dispatch
import Entitlements
import LatchkeyClient
import LatchkeyWire
import Platform

/// Compares what a recording costs a server that nobody watches with one that has a watcher of everyone, and one that has a thousand.
///
/// Rounds alternate between the three, so that whatever else the machine does meets all. What counts are the ratios.
struct WatchingComparison {
  let load: BenchLoad

  private static let watcherCounts = [0, 1, 1_000]
  /// How many customers are recorded on one server before it is the next one's turn.
  private static let round = 200

  /// What all watchers of a server were told.
  private struct Told: Sendable {
    /// How many events that tell a mere position, of which the first one begins a watch.
    var checkpoints = 0
    var changes = 0
    /// Why a watch ended.
    var failure: (any Error)?
  }

  /// One of the servers, with what it has spent.
  private struct Side {
    let watcherCount: Int
    let server: RehearsedServer
    let told = AwaitedValue(Told())
    var recordings = 0
    var nanoseconds: UInt64 = 0

    /// Starts a server, and the watches, which end with it.
    init(watcherCount: Int) async throws {
      self.watcherCount = watcherCount
      server = try await RehearsedServer(settings: Settings(), catalog: Catalog())
      for _ in 0..<watcherCount { watch() }
      try await waitUntil { [watcherCount] told in told.checkpoints >= watcherCount }
    }

    private func watch() {
      Task { [latchkey = server.latchkey, told] in
        do {
          for try await event in latchkey.watchChanges(resumes: false) {
            told.update { told in
              if event.change == nil { told.checkpoints += 1 } else { told.changes += 1 }
            }
          }
        } catch { told.update { $0.failure = error } }
      }
    }

    /// Waits for what watchers are told, on a thread that may wait.
    private func waitUntil(_ isEnough: @escaping @Sendable (Told) -> Bool) async throws {
      let failure = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { [told] in
          continuation.resume(returning: told.wait { told in told.failure != nil || isEnough(told) ? .some(told.failure) : nil })
        }
      }
      if let failure { throw failure }
    }

    /// Records customers and waits until every watcher was told of each.
    mutating func record(callers: Int) async throws {
      let before = server.processorNanoseconds ?? 0
      let numbers = recordings..<recordings + WatchingComparison.round
      try await withThrowingTaskGroup { group in
        for caller in 0..<callers {
          group.addTask { [latchkey = server.latchkey] in
            for number in stride(from: numbers.lowerBound + caller, to: numbers.upperBound, by: callers) {
              _ = try await latchkey.recordTransaction(WatchingComparison.recording(number))
            }
          }
        }
        try await group.waitForAll()
      }
      recordings = numbers.upperBound
      let expected = recordings * watcherCount
      try await waitUntil { told in told.changes >= expected }
      nanoseconds += (server.processorNanoseconds ?? before) - before
    }

    var microsecondsPerRecording: Double { Double(nanoseconds) / Double(max(recordings, 1)) / 1_000 }
  }

  /// Runs as many rounds on each server as seconds were asked for, and says what they showed.
  func run() async throws {
    var sides: [Side] = []
    for count in WatchingComparison.watcherCounts { sides.append(try await Side(watcherCount: count)) }
    for _ in 0..<load.seconds {
      for index in sides.indices { try await sides[index].record(callers: load.callers) }
    }
    for side in sides {
      let ratio = side.microsecondsPerRecording / sides[0].microsecondsPerRecording
      Console.say(
        "server's processor time of a recording with \(counted(side.watcherCount, "watcher")): "
          + "\(Double(Int(side.microsecondsPerRecording * 10)) / 10) µs (\(side.recordings) recordings), "
          + "ratio \(Double(Int(ratio * 1_000)) / 1_000)")
    }
    for side in sides { try await side.server.end(.kill) }
  }

  private static func recording(_ number: Int) -> RecordTransactionRequest {
    .with {
      $0.customerID = "bench-\(number)"
      $0.transaction = .with {
        $0.transactionID = "bench-\(number)"
        $0.productID = "bench.lifetime"
        $0.type = .nonConsumable
        $0.purchaseDateMilliseconds = 1_767_225_600_000
        $0.signedDateMilliseconds = 1_767_225_600_000
      }
    }
  }
}
