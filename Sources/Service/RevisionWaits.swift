import Dispatch
import LatchkeyWire
import Platform
import Storage

// Waiting for `min_revision`: until the state includes it, the deadline passes, or the client gives up.

extension EntitlementService {
  /// How long a request without a deadline waits for a revision.
  private static let longestWaitNanoseconds: UInt64 = 30_000_000_000
  /// How often a wait looks whether its client has given up.
  private static let lookNanoseconds: UInt64 = 1_000_000_000

  /// Calls back once the state includes a revision, with nil, or else with the status that says why it was waited for in vain.
  func wait(for revision: UInt64, _ call: Call, _ body: @escaping @Sendable (Status?) -> Void) {
    let longest = Clock.monotonicNanoseconds() + EntitlementService.longestWaitNanoseconds
    let end = min(call.deadline ?? longest, longest)
    let number = store.waiters.wait(for: revision) { [store] isReached in
      if isReached {
        body(nil)
      } else if call.reply.isCancelled {
        body(Status(.cancelled, "the client cancelled the request"))
      } else if Clock.monotonicNanoseconds() >= end {
        body(
          Status(
            .deadlineExceeded, "min_revision: the state doesn't include revision \(revision) yet; it is at \(store.revision)"))
      } else {
        body(.overloaded("too many requests wait for a revision", retryAfterMilliseconds: 1_000))
      }
    }
    if let number { watch(number, of: call, until: end) }
  }

  /// Gives a wait up at its end, or soon after its client has.
  private func watch(_ number: UInt64, of call: Call, until end: UInt64) {
    let now = Clock.monotonicNanoseconds()
    guard now < end, !call.reply.isCancelled else { return store.waiters.giveUp(number) }
    let pause = min(end - now, EntitlementService.lookNanoseconds)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) {
      if self.store.waiters.isWaiting(number) { self.watch(number, of: call, until: end) }
    }
  }
}

// MARK: - Checks that waited

extension EntitlementService {
  /// Answers a check or a batch once the state includes the revision that it asks for.
  ///
  /// Where it doesn't in time, the other checks of a batch are answered all the same.
  func answer(_ call: Call, onceReached revision: UInt64) {
    wait(for: revision, call) { status in
      guard let status else { return self.histories.run(call) { self.answerLate($0, isWaitOver: false) } }
      if call.method == .checkAccessBatch, status.code == .deadlineExceeded {
        self.answerLate(call, isWaitOver: true)
      } else {
        call.fail(status)
      }
    }
  }

  private func answerLate(_ call: Call, isWaitOver: Bool) {
    var loop = ServiceLoop(self, checksInTurn: Int(Limits.checksInBatch))
    var turn = LateTurn(call: call)
    let input = call.payload.span
    let request = RequestFrame(streamID: call.reply.streamID, flags: [], offset: 0, byteCount: input.count)
    // Bytes have no padding that could be read uninitialised.
    let bytes = unsafe input.bytes
    do throws(Status) {
      let awaited: UInt64?
      if call.method == .checkAccess {
        awaited = try takeCheck(0..<input.count, of: request, in: bytes, now: turn.nowMilliseconds, loop: &loop)
        finishChecks(in: bytes, turn: &turn, loop: &loop)
      } else {
        awaited = try answerBatch(
          0..<input.count, of: request, in: bytes, isWaitOver: isWaitOver, turn: &turn, loop: &loop)
      }
      precondition(awaited == nil, "a revision that was reached stays included")
      turn.finish()
    } catch {
      call.fail(error)
    }
  }
}

/// The turn of one request that is answered apart from its connection's.
private struct LateTurn: CallTurn, ~Copyable {
  let call: Call
  let nowMilliseconds = Clock.wallMilliseconds()
  let isOutputFull = false
  var usesControlFrames = false
  private var output = ByteQueue()

  init(call: Call) { self.call = call }

  mutating func withOutput<Result>(_ body: (inout ByteQueue) -> Result) -> Result { body(&output) }
  mutating func reply(for streamID: UInt32) -> any LateReply { call.reply }
  mutating func leave(from index: Int) { preconditionFailure("the output of one answer is never full") }

  /// Sends what was written.
  consuming func finish() {
    call.reply.finish(output.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } })
  }
}
