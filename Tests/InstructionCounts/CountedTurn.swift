import Platform
import Service

/// A turn whose answers are counted and thrown away.
struct CountedTurn: CallTurn, ~Copyable {
  let nowMilliseconds = CheckWorks.now
  let isOutputFull = false
  var usesControlFrames = false
  private var output = ByteQueue()
  private let late = AwaitedValue(LateAnswers())

  mutating func withOutput<Result>(_ body: (inout ByteQueue) -> Result) -> Result { body(&output) }
  mutating func reply(for streamID: UInt32) -> CountedReply { CountedReply(streamID: streamID, late: late) }
  mutating func leave(from index: Int) {}

  /// How many bytes were written since this was asked.
  mutating func takeOutput() -> Int {
    defer { output.removeAll() }
    return output.count
  }

  /// Waits for so many answers that come after their turn; gives how many bytes they have together.
  func awaitLateAnswers(_ count: Int) -> Int {
    late.wait { answers in
      guard answers.count >= count else { return nil }
      defer { answers = LateAnswers() }
      return answers.byteCount
    }
  }
}

/// What came after its turn and wasn't taken yet.
struct LateAnswers {
  var count = 0
  var byteCount = 0
}

/// The way back of a call that is answered later.
struct CountedReply: LateReply {
  let streamID: UInt32
  let isCancelled = false
  fileprivate let late: AwaitedValue<LateAnswers>

  func send(_ frame: [UInt8]) -> Bool { true }
  func finish(_ frame: [UInt8]) {
    late.update { answers in
      answers.count += 1
      answers.byteCount += frame.count
    }
  }
}
