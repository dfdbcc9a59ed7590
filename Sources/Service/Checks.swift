import Entitlements
import LatchkeyWire
import Platform
import Storage

// CheckAccess and CheckAccessBatch: parsed in place, answered in passes over all checks of a read.

extension EntitlementService {
  /// Takes a check for the passes at the end of the turn; returns the revision that it must wait for, nil where it was taken.
  @inline(__always)
  func takeCheck(
    _ payload: Range<Int>, of request: RequestFrame, in input: RawSpan, now: Int64, loop: inout ServiceLoop
  ) throws(Status) -> UInt64? {
    let query: CheckAccessQuery
    do {
      query = try CheckAccessQuery(parsing: input.extracting(payload))
    } catch {
      throw Status(.invalidArgument, "CheckAccess: the request isn't a valid message: \(error)")
    }
    if let problem = CheckProblem(query) { throw Status(.invalidArgument, "\(problem.message)") }
    guard query.minRevision <= store.revision else { return query.minRevision }
    loop.reader.add(query, from: payload.lowerBound, tag: request.streamID, now: now, in: input)
    return nil
  }

  /// Answers the checks that were taken in this turn.
  func finishChecks<Turn: CallTurn & ~Copyable>(in input: RawSpan, turn: inout Turn, loop: inout ServiceLoop) {
    guard !loop.reader.checks.isEmpty else { return }
    let revision = loop.reader.answer(in: input, now: turn.nowMilliseconds)
    turn.withOutput { output in
      output.write(atMost: loop.reader.checks.count * CheckAccessAnswer.maximumFrameBytes) { span in
        for index in loop.reader.checks.indices {
          let answer = CheckAccessAnswer(loop.reader.checks[index].answer, revision: revision)
          let isWritten = answer.writeFrame(streamID: loop.reader.checks[index].tag, to: &span)
          assert(isWritten, "an answer has at most \(CheckAccessAnswer.maximumFrameBytes) bytes")
        }
      }
    }
    loop.reader.removeAll()
  }
}

// MARK: - Batches

extension EntitlementService {
  /// Answers a batch; returns the revision that it must wait for, nil where it was answered.
  ///
  /// An error in one check is that check's answer; with `isWaitOver`, so is a revision that the state doesn't include. The checks
  /// of the turn so far are answered first.
  func answerBatch<Turn: CallTurn & ~Copyable>(
    _ payload: Range<Int>, of request: RequestFrame, in input: RawSpan, isWaitOver: Bool = false, turn: inout Turn,
    loop: inout ServiceLoop
  ) throws(Status) -> UInt64? {
    finishChecks(in: input, turn: &turn, loop: &loop)
    // Whatever of it was taken is forgotten, be it answered, refused as a whole or left to wait.
    defer { loop.reader.removeAll() }
    let now = turn.nowMilliseconds
    if let awaited = try takeBatch(payload, in: input, isWaitOver: isWaitOver, now: now, loop: &loop) { return awaited }
    let revision = loop.reader.answer(in: input, now: now)
    turn.withOutput { output in
      loop.writeBatch(streamID: request.streamID, revision: revision, to: &output)
    }
    return nil
  }

  /// Takes the checks of a batch, all of them before any is answered, so that a batch that is malformed or too long is refused
  /// as a whole and at once.
  private func takeBatch(
    _ payload: Range<Int>, in input: RawSpan, isWaitOver: Bool, now: Int64, loop: inout ServiceLoop
  ) throws(Status) -> UInt64? {
    loop.refusals.removeAll(keepingCapacity: true)
    let bytes = input.extracting(payload)
    let revision = store.revision
    var awaited: UInt64 = 0
    var cursor = CheckAccessBatchCursor()
    while let query = try nextCheck(&cursor, in: bytes) {
      let place = loop.reader.checks.count + loop.refusals.count
      guard place < Limits.checksInBatch else {
        throw Status(.invalidArgument, "checks: a batch holds at most \(Limits.checksInBatch)")
      }
      if let problem = CheckProblem(query) {
        loop.refusals.append(BatchRefusal(place: place, code: .invalidArgument, message: problem.message))
      } else if query.minRevision > revision {
        awaited = max(awaited, query.minRevision)
        loop.refusals.append(
          BatchRefusal(place: place, code: .deadlineExceeded, message: "min_revision: the state doesn't include it yet"))
      } else {
        loop.reader.add(query, from: payload.lowerBound, tag: 0, now: now, in: input)
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
}

/// Why a check of a batch wasn't asked.
struct BatchRefusal {
  /// Its place in the batch.
  var place: Int
  var code: StatusCode
  var message: StaticString

  /// Writes it as one of the batch's answers.
  fileprivate func write(revision: UInt64, to output: inout ByteQueue) {
    let response = CheckAccessResponse.with {
      $0.statusCode = code
      $0.statusMessage = "\(message)"
      $0.revision = revision
    }
    output.append(CheckAccessBatchResponse.with { $0.results = [response] }.encoded())
  }
}

extension ServiceLoop {
  /// Writes the answers and refusals of a batch in its order, apart first, since their length stands before them.
  fileprivate mutating func writeBatch(streamID: UInt32, revision: UInt64, to output: inout ByteQueue) {
    batch.removeAll()
    var answered = 0
    for (refused, refusal) in refusals.enumerated() {
      reader.write(answered..<refusal.place - refused, revision: revision, to: &batch)
      answered = refusal.place - refused
      refusal.write(revision: revision, to: &batch)
    }
    reader.write(answered..<reader.checks.count, revision: revision, to: &batch)
    output.write(atMost: CheckAccessBatchFrame.maximumHeadBytes) { span in
      let isWritten = CheckAccessBatchFrame.writeHead(streamID: streamID, elementBytes: batch.count, to: &span)
      assert(isWritten, "there is room for the longest head")
    }
    batch.withBytes { output.append($0) }
  }
}

extension CheckReader {
  /// Writes some of the answers as those of a batch.
  fileprivate func write(_ indices: Range<Int>, revision: UInt64, to batch: inout ByteQueue) {
    batch.write(atMost: indices.count * CheckAccessAnswer.maximumElementBytes) { span in
      for index in indices {
        let isWritten = CheckAccessAnswer(checks[index].answer, revision: revision).writeElement(to: &span)
        assert(isWritten, "an answer has at most \(CheckAccessAnswer.maximumElementBytes) bytes")
      }
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
    } else if query.customerID.count > Limits.idBytes {
      self = .customerTooLong
    } else if query.entitlement.isEmpty {
      self = .entitlementMissing
    } else if query.entitlement.count > Limits.idBytes {
      self = .entitlementTooLong
    } else if query.atTimeMilliseconds != 0, !Moment.accepted.contains(Moment(milliseconds: query.atTimeMilliseconds)) {
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
      allowed: answer.allows, reason: LatchkeyWire.Reason(rawValue: Int32(answer.reasonCode)),
      validUntilMilliseconds: answer.allows && answer.validUntil != .max ? answer.validUntil : nil,
      ownership: LatchkeyWire.Ownership(rawValue: Int32(answer.ownership)), revision: revision)
  }
}

extension CheckReader {
  /// Takes a check whose message begins at an offset of the input.
  @inline(__always)
  fileprivate mutating func add(_ query: CheckAccessQuery, from offset: Int, tag: UInt32, now: Int64, in input: RawSpan) {
    add(
      tag: tag, customer: query.customerID.lowerBound + offset..<query.customerID.upperBound + offset,
      entitlement: query.entitlement.lowerBound + offset..<query.entitlement.upperBound + offset,
      at: query.atTimeMilliseconds == 0 ? now : query.atTimeMilliseconds, in: input)
  }
}
