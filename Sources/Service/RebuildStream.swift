import Dispatch
import LatchkeyWire
import Platform
import Storage

/// The stream that a rebuild answers: progress with the corrections, none of which is lost, and at the end the summary.
struct RebuildStream {
  let call: Call

  /// How many corrections go into one message: with the longest names they take a third of a frame.
  private static let correctionsInMessage = 4_096
  /// How long a client that doesn't read holds up its rebuild.
  private static let patienceNanoseconds: UInt64 = 30_000_000_000

  /// Sends how far the rebuild has come, in as many messages as the corrections need.
  ///
  /// - Throws: `CANCELLED`, and `RESOURCE_EXHAUSTED` where the client doesn't read its corrections.
  func send(_ step: RebuildStep) throws(Status) {
    var rest = step.corrections[...]
    repeat {
      let part = rest.prefix(RebuildStream.correctionsInMessage)
      rest = rest.dropFirst(part.count)
      try send(RebuildProgress(step, corrections: part))
    } while !rest.isEmpty
  }

  /// Ends the stream with the summary.
  func finish(_ summary: RebuildSummary) {
    let last = RebuildProgress.with {
      $0.customers = summary.customers
      $0.customersTotal = summary.customers
      $0.transactions = summary.transactions
      $0.summary = summary
    }
    if let frame = Frame.ending(stream: call.reply.streamID, withLast: last) { return call.reply.finish(frame) }
    call.fail(
      Status(
        .resourceExhausted,
        "the rebuild is done, but its summary is larger than a frame may be (4 MiB): it names \(summary.notListed.count) "
          + "transactions that aren't listed and \(summary.changes.count) changes; give a shorter history"))
  }

  private func send(_ progress: RebuildProgress) throws(Status) {
    var frame: [UInt8] = []
    do throws(FrameViolation) {
      try Frame.append(streamed: progress, streamID: call.reply.streamID, to: &frame)
    } catch {
      throw error.status
    }
    let end = Clock.monotonicNanoseconds() + RebuildStream.patienceNanoseconds
    while !call.reply.send(frame) {
      if call.reply.isCancelled { throw Status(.cancelled, "the client cancelled the rebuild") }
      // Progress alone isn't worth waiting for.
      if progress.corrections.isEmpty { return }
      guard Clock.monotonicNanoseconds() < end else {
        throw Status(
          .resourceExhausted,
          "the client doesn't read the corrections; the rebuild stopped after \(progress.customers) of \(progress.customersTotal) "
            + "customers")
      }
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(10))
    }
  }
}

extension RebuildProgress {
  fileprivate init(_ step: RebuildStep, corrections: ArraySlice<Storage.Correction>) {
    self.init()
    customers = UInt64(step.customers)
    customersTotal = UInt64(step.customersTotal)
    transactions = UInt64(step.transactions)
    self.corrections = corrections.map { correction in
      LatchkeyWire.Correction.with {
        $0.customerID = correction.customer.text
        $0.entitlement = correction.entitlement?.text ?? ""
        $0.before = CorrectedAnswer(correction.before, at: correction.moment)
        $0.after = CorrectedAnswer(correction.after, at: correction.moment)
      }
    }
  }
}

extension CorrectedAnswer {
  fileprivate init(_ answer: AccessBlock.Answer, at moment: Int64) {
    self.init()
    let wire = CheckAccessAnswer(answer, revision: 0)
    allowed = wire.allowed
    reason = wire.reason
    validUntilMilliseconds = wire.validUntilMilliseconds
    atTimeMilliseconds = moment
  }
}
