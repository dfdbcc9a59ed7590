import Entitlements
import LatchkeyWire
import Platform
import Storage

// CheckAccess and CheckAccessBatch: parsed in place, answered in passes over all checks of a read.

extension EntitlementService {
  /// Takes a check for the passes at the end of the turn; returns the revision that it must wait for, nil where it was taken.
  @inline(__always)
  func takeCheck(_ payload: Range<Int>, of request: RequestFrame, in input: RawSpan, now: Int64, loop: ServiceLoop) throws(Status)
    -> UInt64?
  {
    let query: CheckAccessQuery
    do {
      query = try CheckAccessQuery(parsing: input.extracting(payload))
    } catch {
      throw Status(.invalidArgument, "CheckAccess: the request isn't a valid message: \(error)")
    }
    if let problem = CheckProblem(query) { throw Status(.invalidArgument, "\(problem.message)") }
    guard query.minRevision <= store.revision else { return query.minRevision }
    loop.checks.add(
      customer: query.customerID.moved(by: payload.lowerBound), entitlement: query.entitlement.moved(by: payload.lowerBound),
      at: query.atTimeMilliseconds == 0 ? now : query.atTimeMilliseconds, in: input)
    loop.checkStreams.append(request.streamID)
    return nil
  }

  /// Answers the checks that were taken in this turn.
  @inline(__always)
  func finishChecks<Turn: CallTurn & ~Copyable>(in input: RawSpan, turn: inout Turn, loop: ServiceLoop) {
    guard loop.checks.count > 0 else { return }
    let now = turn.nowMilliseconds
    turn.withOutput { output in
      loop.checks.answer(in: input, now: now) { index, answer, revision in
        let answer = CheckAccessAnswer(answer, revision: revision)
        output.write(atMost: CheckAccessAnswer.maximumFrameBytes) { span in
          let isWritten = answer.writeFrame(streamID: loop.checkStreams[index], to: &span)
          assert(isWritten, "an answer has at most \(CheckAccessAnswer.maximumFrameBytes) bytes")
        }
      }
    }
    loop.checkStreams.removeAll(keepingCapacity: true)
  }

  /// Answers a batch; returns the revision that it must wait for, nil where it was answered.
  ///
  /// An error in one check is that check's answer; with `isWaitOver`, so is a revision that the state doesn't include.
  func answerBatch<Turn: CallTurn & ~Copyable>(
    _ payload: Range<Int>, of request: RequestFrame, in input: RawSpan, isWaitOver: Bool = false, turn: inout Turn,
    loop: ServiceLoop
  ) throws(Status) -> UInt64? {
    let now = turn.nowMilliseconds
    if let awaited = try takeBatch(payload, in: input, isWaitOver: isWaitOver, now: now, loop: loop) { return awaited }
    finishBatch(in: input, now: now, loop: loop)
    let answers = loop.batchAnswers
    turn.withOutput { output in
      output.write(atMost: CheckAccessAnswer.batchFrameByteCount(answers.span)) { span in
        let isWritten = CheckAccessAnswer.writeBatchFrame(answers.span, streamID: request.streamID, to: &span)
        assert(isWritten, "the frame is as long as it was said to be")
      }
    }
    return nil
  }

  /// Takes the checks of a batch, all of them before any is answered, so that a batch that is malformed or too long is refused
  /// as a whole and at once.
  private func takeBatch(
    _ payload: Range<Int>, in input: RawSpan, isWaitOver: Bool, now: Int64, loop: ServiceLoop
  ) throws(Status) -> UInt64? {
    loop.batch.forget()
    loop.batchAnswers.removeAll(keepingCapacity: true)
    loop.batchPlaces.removeAll(keepingCapacity: true)
    let bytes = input.extracting(payload)
    let revision = store.revision
    var awaited: UInt64 = 0
    var cursor = CheckAccessBatchCursor()
    while let query = try nextCheck(&cursor, in: bytes) {
      guard loop.batchAnswers.count < Limits.checksInBatch else {
        throw Status(.invalidArgument, "checks: a batch holds at most \(Limits.checksInBatch)")
      }
      if let problem = CheckProblem(query) {
        loop.batchAnswers.append(CheckAccessAnswer(failed: .invalidArgument, problem.message, revision: revision))
      } else if query.minRevision > revision {
        awaited = max(awaited, query.minRevision)
        loop.batchAnswers.append(
          CheckAccessAnswer(failed: .deadlineExceeded, "min_revision: the state doesn't include it yet", revision: revision))
      } else {
        loop.batchPlaces.append(loop.batchAnswers.count)
        loop.batchAnswers.append(CheckAccessAnswer(.unknownCustomer, revision: revision))
        loop.batch.add(
          customer: query.customerID.moved(by: payload.lowerBound), entitlement: query.entitlement.moved(by: payload.lowerBound),
          at: query.atTimeMilliseconds == 0 ? now : query.atTimeMilliseconds, in: input)
      }
    }
    return awaited == 0 || isWaitOver ? nil : awaited
  }

  private func nextCheck(_ cursor: inout CheckAccessBatchCursor, in bytes: RawSpan) throws(Status) -> CheckAccessQuery? {
    do {
      return try cursor.next(in: bytes)
    } catch {
      throw Status(.invalidArgument, "CheckAccessBatch: the request isn't a valid message: \(error)")
    }
  }

  private func finishBatch(in input: RawSpan, now: Int64, loop: ServiceLoop) {
    loop.batch.answer(in: input, now: now) { index, answer, revision in
      loop.batchAnswers[loop.batchPlaces[index]] = CheckAccessAnswer(answer, revision: revision)
    }
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
