import Platform
import Service
import Synchronization

/// A turn whose answers are counted and thrown away.
struct CountedTurn: CallTurn, ~Copyable {
  let nowMilliseconds = CheckWorks.now
  let isOutputFull = false
  var usesControlFrames = false
  private var output = ByteQueue()
  private let late: LateAnswers

  /// - Parameter count: how many answers that come after a turn are awaited at once.
  init(lateAnswersAtOnce count: Int = 0) { late = LateAnswers(atOnce: count) }

  mutating func withOutput<Result>(_ body: (inout ByteQueue) -> Result) -> Result { body(&output) }
  mutating func reply(for streamID: UInt32) -> any LateReply { CountedReply(streamID: streamID, late: late) }
  mutating func leave(from index: Int) {}

  /// How many bytes were written since this was asked.
  mutating func takeOutput() -> Int {
    defer { output.removeAll() }
    return output.count
  }

  /// Waits for the answers that are awaited at once; gives how many bytes came so far.
  func awaitLateAnswers() -> Int { late.await() }
}

/// What comes after its turn. Nobody is woken before the last of what is awaited, since waking costs now more and now less.
private final class LateAnswers: Sendable {
  private let countAtOnce: Int
  private let count = Atomic(0)
  private let byteCount = Atomic(0)
  private let isComplete = AwaitedValue(false)

  init(atOnce count: Int) { countAtOnce = count }

  func add(_ frame: [UInt8]) {
    byteCount.add(frame.count, ordering: .relaxed)
    if count.add(1, ordering: .acquiringAndReleasing).newValue % countAtOnce == 0 { isComplete.update { $0 = true } }
  }

  func await() -> Int {
    isComplete.wait { isComplete in
      defer { isComplete = false }
      return isComplete ? () : nil
    }
    return byteCount.load(ordering: .relaxed)
  }
}

/// The way back of a call that is answered later.
struct CountedReply: LateReply {
  let streamID: UInt32
  let isCancelled = false
  fileprivate let late: LateAnswers

  func send(_ frame: [UInt8]) -> Bool { true }
  func finish(_ frame: [UInt8]) { late.add(frame) }
}
