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

  /// One of the servers, with what it has spent.
  private struct Side {
    let watcherCount: Int
    let server: RehearsedServer
    /// How many changes all watchers were told.
    let told = AwaitedValue(0)
    var recordings = 0
    var nanoseconds: UInt64 = 0

    /// Starts a server, and the watches, which end with it.
    init(watcherCount: Int) async throws {
      self.watcherCount = watcherCount
      server = try await RehearsedServer(settings: Settings(), catalog: Catalog())
      let begun = AwaitedValue(0)
      for _ in 0..<watcherCount {
        Task { [latchkey = server.latchkey, told] in
          for try await event in latchkey.watchChanges(resumes: false) {
            if event.change == nil { begun.update { $0 += 1 } } else { told.update { $0 += 1 } }
          }
        }
      }
      await wait(for: begun, atLeast: watcherCount)
    }

    /// Records customers and waits until every watcher was told of each.
    mutating func record(callers: Int) async throws {
      let before = server.processorNanoseconds ?? 0
      let numbers = recordings..<recordings + WatchingComparison.round
      try await withThrowingTaskGroup { group in
        for caller in 0..<callers {
          group.addTask { [latchkey = server.latchkey] in
            for number in numbers.dropFirst(caller) where (number - caller) % callers == 0 {
              _ = try await latchkey.recordTransaction(WatchingComparison.recording(number))
            }
          }
        }
        try await group.waitForAll()
      }
      recordings = numbers.upperBound
      await wait(for: told, atLeast: recordings * watcherCount)
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

/// Waits until a count has become so great, on a thread that may wait.
private func wait(for count: AwaitedValue<Int>, atLeast wanted: Int) async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async {
      count.wait { $0 >= wanted ? () : nil }
      continuation.resume()
    }
  }
}
