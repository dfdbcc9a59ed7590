import Entitlements
import Journaling
import Platform

/// The one thread that changes the state: it takes what waits, appends it to the journal in one batch with one sync, and only then
/// applies it, publishes the answers and tells the callers.
struct Recorder: Sendable {
  let queue: SubmissionQueue
  let journal: Journal
  let state: Guarded<StoreState>
  let cache: EntitlementCache
  let publications: PublicationLog
  let waiters: RevisionWaiters
  /// Called once, when nobody knows any more what is on the disk: the process is to stop.
  let onFailure: @Sendable (JournalError) -> Void

  /// How many bytes of records close a batch. One more record of the longest kind, and the overhead of as many as can wait, still
  /// leave it below `JournalLimits.batchBytes`.
  private static let batchBytes = 4 << 20
  /// How many recordings are applied before their callers are told: each time, the threads that send have to be woken up.
  private static let answersAtOnce = 64

  /// Runs until the queue is closed and empty.
  ///
  /// - Throws: what leaves the disk unknown.
  func run() throws(JournalError) {
    var rest: ArraySlice<Submission> = []
    do throws(JournalError) {
      // What was journaled while the store was opened has yet to be proven.
      var proof = EndProof.none
      while true {
        switch queue.take(idleAfterNanoseconds: proof.idleNanoseconds) {
        case .batch(let submissions):
          rest = submissions[...]
          while !rest.isEmpty { try recordSome(of: &rest) }
          proof = .none
        case .idle:
          try advance(&proof)
        case .closed:
          try seal()
          return
        }
      }
    } catch {
      // What waits never reached the disk. Nothing is acknowledged any more, be it known already.
      for submission in rest + queue.closeAndEmpty() { submission.completion(.failure(.closed)) }
      onFailure(error)
      throw error
    }
  }

  /// Takes the next step towards a proven end.
  private func advance(_ proof: inout EndProof) throws(JournalError) {
    switch proof {
    case .none:
      try seal()
      proof = .sealed
    case .sealed, .noted:
      // The journal is as right without the note, which is tried again after the next batch.
      try? journal.noteComplete()
      proof = .noted
    }
  }

  private func seal() throws(JournalError) {
    do throws(JournalError) { try journal.seal() } catch {
      // No room to seal is no harm: it is tried again after the next batch.
      guard case .outOfSpace = error else { throw error }
    }
  }

  /// Takes submissions up to a batch's size from the front, and sees them through.
  ///
  /// - Throws: what leaves the disk unknown.
  private func recordSome(of rest: inout ArraySlice<Submission>) throws(JournalError) {
    var batch: [Submission] = []
    var byteCount = 0
    while let submission = rest.popFirst() {
      if let deadline = submission.deadline, Clock.monotonicNanoseconds() > deadline {
        submission.completion(.failure(.deadlineExceeded))
        continue
      }
      if batch.isEmpty, answerWithoutJournal(submission) { continue }
      batch.append(submission)
      byteCount += submission.record.count
      if byteCount >= Recorder.batchBytes || submission.isErasure { break }
    }
    guard !batch.isEmpty else { return }
    let time = publications.beginBatch()
    defer { publications.endBatch() }
    do throws(JournalError) {
      _ = try journal.append(batch.map(\.record), ending: StoredInput.time(time))
    } catch {
      return try fail(batch, error)
    }
    if batch.last?.isErasure == true { try leaveSegmentBehind() }
    applyAndAnswer(batch)
  }

  /// Begins a new segment, so that no later record keeps what is to be forgotten on the disk.
  private func leaveSegmentBehind() throws(JournalError) {
    do throws(JournalError) { try journal.startSegment() } catch {
      // Without room for one, what is to be forgotten stays until the segment is full.
      guard case .outOfSpace = error else { throw error }
    }
  }

  /// Answers what the state, which is on the disk, already proves to change nothing. Not after another input of the same batch,
  /// which may change what is proven.
  private func answerWithoutJournal(_ submission: Submission) -> Bool {
    let result: Result<Applied, StoreError>? = state.withLock { state in
      do throws(Refusal) {
        return try state.resultOfNothing(submission.input).map { .success(Applied(recorded: $0, revision: state.revision)) }
      } catch {
        return .failure(.refused(error))
      }
    }
    guard let result else { return false }
    submission.completion(result)
    return true
  }

  /// Answers those whose batch wasn't written. Without room nothing was, and the next batch tries again; otherwise nobody knows.
  private func fail(_ batch: [Submission], _ error: JournalError) throws(JournalError) {
    if case .outOfSpace(let reason) = error {
      for submission in batch { submission.completion(.failure(.readOnly(reason.description))) }
    } else {
      for submission in batch { submission.completion(.failure(.outcomeUnknown(error.description))) }
      throw error
    }
  }
}

/// How well the end of a quiet journal is proven against its own loss: first it is sealed, then noted in the manifest.
private enum EndProof {
  case none, sealed, noted

  /// How long nothing has to come until the next step; nil: there is none.
  ///
  /// Before the seal, long enough that a caller's next recording pays no extra sync; before the note, which is four, long enough
  /// that a steady trickle never pays them.
  var idleNanoseconds: UInt64? {
    switch self {
    case .none: 50_000_000
    case .sealed: 1_000_000_000
    case .noted: nil
    }
  }
}

// MARK: - After the sync

extension Recorder {
  /// Applies inputs, each by itself, and tells their callers, some at a time.
  private func applyAndAnswer(_ batch: [Submission]) {
    for start in stride(from: 0, to: batch.count, by: Recorder.answersAtOnce) {
      let submissions = batch[start..<min(start + Recorder.answersAtOnce, batch.count)]
      let results = submissions.map { apply($0) }
      waiters.advance(to: cache.revision)
      PutOff.untilEnd {
        for (submission, result) in zip(submissions, results) { submission.completion(result) }
      }
    }
  }

  /// Applies an input, and publishes what it changed.
  private func apply(_ submission: Submission) -> Result<Applied, StoreError> {
    state.withLock { state in
      state.bytesSinceSnapshot += UInt64(submission.record.count)
      do throws(Refusal) {
        let recorded = try state.apply(submission.input)
        state.noteLateChecks(of: recorded.revoked, cache: cache)
        var publication = Publication(cache: cache, log: publications, revision: state.revision)
        if submission.input.concernsEveryone {
          publication.foldEveryone(in: &state)
        } else {
          let moment = submission.evaluateAt ?? Moment(milliseconds: Clock.wallMilliseconds())
          for customer in recorded.affected { publication.fold(customer, in: &state, changesAt: moment) }
        }
        publication.publish()
        return .success(Applied(recorded: recorded, changes: publication.accessChanges, revision: state.revision))
      } catch {
        publications.append([], revision: state.revision)
        cache.publish([], revision: state.revision)
        return .failure(.refused(error))
      }
    }
  }
}
