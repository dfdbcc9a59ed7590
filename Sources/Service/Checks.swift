import Dispatch
import Entitlements
import LatchkeyWire
import Platform
import Storage

// CheckAccess and CheckAccessBatch: parsed in place, answered in passes over all checks of a read.

extension EntitlementService {
  /// Takes a check for the passes at the end of the turn; returns false for one that must wait for a revision.
  @inline(__always)
  func takeCheck(_ payload: Range<Int>, of request: RequestFrame, in input: RawSpan, now: Int64, loop: ServiceLoop) throws(Status)
    -> Bool
  {
    let query: CheckAccessQuery
    do {
      query = try CheckAccessQuery(parsing: input.extracting(payload))
    } catch {
      throw Status(.invalidArgument, "CheckAccess: the request isn't a valid message: \(error)")
    }
    if let problem = CheckProblem(query) { throw Status(.invalidArgument, "\(problem.message)") }
    guard query.minRevision <= store.revision else { return false }
    loop.checks.add(
      customer: query.customerID.moved(by: payload.lowerBound), entitlement: query.entitlement.moved(by: payload.lowerBound),
      at: query.atTimeMilliseconds == 0 ? now : query.atTimeMilliseconds, in: input)
    loop.checkStreams.append(request.streamID)
    return true
  }

  /// Answers the checks that were taken in this turn.
  @inline(__always)
  func finishChecks<Turn: CallTurn & ~Copyable>(in input: RawSpan, turn: inout Turn, loop: ServiceLoop) {
    guard loop.checks.count > 0 else { return }
    turn.withOutput { output in
      loop.checks.answer(in: input) { index, answer, revision in
        let answer = CheckAccessAnswer(answer, revision: revision)
        output.write(atMost: CheckAccessAnswer.maximumFrameBytes) { span in
          let isWritten = answer.writeFrame(streamID: loop.checkStreams[index], to: &span)
          assert(isWritten, "an answer has at most \(CheckAccessAnswer.maximumFrameBytes) bytes")
        }
      }
    }
    loop.checkStreams.removeAll(keepingCapacity: true)
  }

  /// Answers a batch; returns false for one that must wait for a revision. An error in one check is that check's answer.
  func answerBatch<Turn: CallTurn & ~Copyable>(
    _ payload: Range<Int>, of request: RequestFrame, in input: RawSpan, turn: inout Turn, loop: ServiceLoop
  ) throws(Status) -> Bool {
    let now = turn.nowMilliseconds
    guard try takeBatch(payload, in: input, now: now, loop: loop) else { return false }
    finishBatch(in: input, loop: loop)
    let answers = loop.batchAnswers
    turn.withOutput { output in
      output.write(atMost: CheckAccessAnswer.batchFrameByteCount(answers.span)) { span in
        let isWritten = CheckAccessAnswer.writeBatchFrame(answers.span, streamID: request.streamID, to: &span)
        assert(isWritten, "the frame is as long as it was said to be")
      }
    }
    return true
  }

  private func takeBatch(_ payload: Range<Int>, in input: RawSpan, now: Int64, loop: ServiceLoop) throws(Status) -> Bool {
    loop.batch.forget()
    loop.batchAnswers.removeAll(keepingCapacity: true)
    loop.batchPlaces.removeAll(keepingCapacity: true)
    let bytes = input.extracting(payload)
    let revision = store.revision
    var cursor = CheckAccessBatchCursor()
    while let query = try nextCheck(&cursor, in: bytes) {
      guard loop.batchAnswers.count < Limits.checksInBatch else {
        throw Status(.invalidArgument, "checks: a batch holds at most \(Limits.checksInBatch)")
      }
      guard query.minRevision <= revision else { return false }
      if let problem = CheckProblem(query) {
        loop.batchAnswers.append(CheckAccessAnswer(failed: .invalidArgument, problem.message, revision: revision))
        continue
      }
      loop.batchPlaces.append(loop.batchAnswers.count)
      loop.batchAnswers.append(CheckAccessAnswer(.unknownCustomer, revision: revision))
      loop.batch.add(
        customer: query.customerID.moved(by: payload.lowerBound), entitlement: query.entitlement.moved(by: payload.lowerBound),
        at: query.atTimeMilliseconds == 0 ? now : query.atTimeMilliseconds, in: input)
    }
    return true
  }

  private func nextCheck(_ cursor: inout CheckAccessBatchCursor, in bytes: RawSpan) throws(Status) -> CheckAccessQuery? {
    do {
      return try cursor.next(in: bytes)
    } catch {
      throw Status(.invalidArgument, "CheckAccessBatch: the request isn't a valid message: \(error)")
    }
  }

  private func finishBatch(in input: RawSpan, loop: ServiceLoop) {
    loop.batch.answer(in: input) { index, answer, revision in
      loop.batchAnswers[loop.batchPlaces[index]] = CheckAccessAnswer(answer, revision: revision)
    }
  }
}

// MARK: - Waiting for a revision

extension EntitlementService {
  /// How long a request without a deadline waits for a revision.
  static let longestWaitNanoseconds: UInt64 = 30_000_000_000

  /// Answers a check or a batch once the state includes the revision that it asks for, within its deadline.
  func answerOnceReached<Reply>(_ call: Call<Reply>) {
    guard let revision = revisionAwaited(by: call) else { return }
    whenReached(revision, call) { self.histories.run(call) { self.answerReached($0) } }
  }

  /// Runs the body once the state includes a revision; answers `DEADLINE_EXCEEDED` where it doesn't within the deadline.
  func whenReached<Reply>(_ revision: UInt64, _ call: Call<Reply>, _ body: @escaping @Sendable () -> Void) {
    let number = store.waiters.wait(for: revision) { isReached in
      if isReached { return body() }
      call.fail(
        Status(
          .deadlineExceeded, "min_revision: the state doesn't include revision \(revision) yet; it is at \(self.store.revision)"))
    }
    guard let number else { return }
    let now = Clock.monotonicNanoseconds()
    let longest = now + EntitlementService.longestWaitNanoseconds
    let deadline = min(call.deadline ?? longest, longest)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(deadline > now ? deadline - now : 0))) {
      self.store.waiters.giveUp(number)
    }
  }

  private func revisionAwaited<Reply>(by call: Call<Reply>) -> UInt64? {
    if call.method == .checkAccess { return call.request(CheckAccessRequest.self)?.minRevision }
    return call.request(CheckAccessBatchRequest.self).map { $0.checks.map(\.minRevision).max() ?? 0 }
  }

  private func answerReached<Reply>(_ call: Call<Reply>) {
    let loop = ServiceLoop(self)
    var turn = LateTurn(call: call)
    let input = call.payload.span
    let request = RequestFrame(streamID: call.reply.streamID, flags: [], offset: 0, byteCount: input.count)
    // Bytes have no padding that could be read uninitialised.
    let bytes = unsafe input.bytes
    do throws(Status) {
      if call.method == .checkAccess {
        _ = try takeCheck(0..<input.count, of: request, in: bytes, now: turn.nowMilliseconds, loop: loop)
        finishChecks(in: bytes, turn: &turn, loop: loop)
      } else {
        _ = try answerBatch(0..<input.count, of: request, in: bytes, turn: &turn, loop: loop)
      }
      turn.finish()
    } catch {
      call.fail(error)
    }
  }
}

/// The turn of one request that is answered apart from its connection's.
private struct LateTurn<Reply: LateReply>: CallTurn, ~Copyable {
  let call: Call<Reply>
  let nowMilliseconds = Clock.wallMilliseconds()
  let isOutputFull = false
  var usesControlFrames = false
  private var output = ByteQueue()

  init(call: Call<Reply>) { self.call = call }

  mutating func withOutput<Result>(_ body: (inout ByteQueue) -> Result) -> Result { body(&output) }
  mutating func reply(for streamID: UInt32) -> Reply { call.reply }
  mutating func leave(from index: Int) { preconditionFailure("the output of one answer is never full") }

  /// Sends what was written.
  consuming func finish() {
    call.reply.finish(output.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } })
  }
}

// MARK: - Questions and answers

/// What of a check's fields can never be right.
private enum CheckProblem {
  case customerMissing
  case customerTooLong
  case entitlementMissing
  case entitlementTooLong
  case timeOutside

  @inline(__always)
  init?(_ query: CheckAccessQuery) {
    if query.customerID.isEmpty {
      self = .customerMissing
    } else if query.customerID.count > Identifier.byteLimit {
      self = .customerTooLong
    } else if query.entitlement.isEmpty {
      self = .entitlementMissing
    } else if query.entitlement.count > Identifier.byteLimit {
      self = .entitlementTooLong
    } else if !Moment.accepted.contains(Moment(milliseconds: query.atTimeMilliseconds)) {
      self = .timeOutside
    } else {
      return nil
    }
  }

  var message: StaticString {
    switch self {
    case .customerMissing: "customer_id: is missing or empty"
    case .customerTooLong: "customer_id: an id has at most 128 bytes"
    case .entitlementMissing: "entitlement: is missing or empty"
    case .entitlementTooLong: "entitlement: a name has at most 128 bytes"
    case .timeOutside: "at_time_ms: outside the years 1970 to 9999"
    }
  }
}

extension CheckAccessAnswer {
  /// The answer of the cache in the terms of the wire.
  @inline(__always)
  init(_ answer: AccessBlock.Answer, revision: UInt64) {
    self.init(
      allowed: answer.reason.allows, reason: LatchkeyWire.Reason(rawValue: Int32(answer.reason.rawValue)),
      validUntilMilliseconds: answer.reason.allows && answer.validUntil != .max ? answer.validUntil : nil,
      ownership: LatchkeyWire.Ownership(rawValue: Int32(answer.ownership)), revision: revision)
  }
}

extension Range<Int> {
  @inline(__always)
  fileprivate func moved(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}
