import LatchkeyWire
import Platform
import Testing

@testable import Service

/// A queue of calls with threads of its own.
@Suite struct BoundedQueueTests {
  /// Takes what a call is answered with.
  private struct KeptReply: LateReply {
    let streamID: UInt32 = 1
    var isCancelled = false
    let frames = AwaitedValue<[[UInt8]]>([])

    func send(_ frame: [UInt8]) -> Bool { true }
    func finish(_ frame: [UInt8]) { frames.update { $0.append(frame) } }

    /// The status of the one answer, once it is there.
    var status: StatusCode? {
      get throws {
        let frame = frames.wait { $0.first }
        return try Response(decoding: Array(frame.dropFirst(FrameHeader.byteCount))).status?.code
      }
    }
  }

  private func call(_ reply: KeptReply, deadline: UInt64? = nil) -> Call {
    Call(method: .getHistory, payload: [], deadline: deadline, reply: reply)
  }

  @Test("One after the other, in the order in which they came")
  func order() {
    let queue = BoundedQueue("in order", limit: 100)
    let seen = AwaitedValue<[Int]>([])
    for number in 0..<100 { queue.run(call(KeptReply())) { _ in seen.update { $0.append(number) } } }
    #expect(seen.wait { $0.count == 100 ? $0 : nil } == Array(0..<100))
  }

  @Test("As many side by side as there are threads, and one more waits", arguments: [1, 4])
  func sideBySide(threads: Int) {
    let queue = BoundedQueue("side by side", limit: 100, threads: threads)
    let state = AwaitedValue((running: 0, most: 0, ended: 0, mayEnd: false))
    for _ in 0..<threads + 1 {
      queue.run(call(KeptReply())) { _ in
        state.update { ($0.running, $0.most) = ($0.running + 1, max($0.most, $0.running + 1)) }
        state.wait { $0.mayEnd ? () : nil }
        state.update { ($0.running, $0.ended) = ($0.running - 1, $0.ended + 1) }
      }
    }
    state.wait { $0.running == threads ? () : nil }
    state.update { $0.mayEnd = true }
    state.wait { $0.ended == threads + 1 ? () : nil }
    #expect(state.update { $0.most } == threads)
  }

  @Test("Beyond the limit a call is refused at once, and is taken again when there is room")
  func limit() throws {
    let queue = BoundedQueue("limited", limit: 2)
    let (mayEnd, ended) = (AwaitedValue(false), AwaitedValue(0))
    for _ in 0..<2 {
      queue.run(call(KeptReply())) { _ in
        mayEnd.wait { $0 ? () : nil }
        ended.update { $0 += 1 }
      }
    }
    let refused = KeptReply()
    queue.run(call(refused)) { _ in Issue.record("it waits for nothing") }
    #expect(try refused.status == .resourceExhausted)
    mayEnd.update { $0 = true }
    ended.wait { $0 == 2 ? () : nil }
    let taken = AwaitedValue(false)
    // What has ended may still count for a moment.
    while !taken.update({ $0 }) { queue.run(call(KeptReply())) { _ in taken.update { $0 = true } } }
  }

  @Test("What nobody waits for any more, or is past its deadline, isn't begun")
  func notBegun() throws {
    let queue = BoundedQueue("not begun", limit: 10)
    let (cancelled, late) = (KeptReply(isCancelled: true), KeptReply())
    queue.run(call(cancelled)) { _ in Issue.record("it was cancelled") }
    queue.run(call(late, deadline: 0)) { _ in Issue.record("it is late") }
    #expect(try cancelled.status == .cancelled)
    #expect(try late.status == .deadlineExceeded)
  }
}
