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
  let waiters: RevisionWaiters
  /// Called once when nobody knows any more what is on the disk: the process is to stop.
  let onFailure: @Sendable (JournalError) -> Void

  /// How long nothing has to come until the journal's end is sealed: long enough that a caller's next recording pays no extra
  /// sync, short enough that a quiet journal is proven.
  private static let idleNanoseconds: UInt64 = 50_000_000
  /// How many bytes of records go into one batch.
  private static let batchBytes = 4 << 20

  /// Runs until the queue is closed and empty.
  func run() {
    var isSealed = true
    while true {
      switch queue.take(idleAfterNanoseconds: isSealed ? nil : Recorder.idleNanoseconds) {
      case .batch(let submissions):
        var rest = submissions[...]
        while !rest.isEmpty { recordSome(of: &rest) }
        isSealed = false
      case .idle:
        seal()
        isSealed = true
      case .closed:
        seal()
        return
      }
    }
  }

  private func seal() {
    do { try journal.seal() } catch {
      // No room to seal is no harm: it is tried again after the next batch.
      if case .outOfSpace = error { return }
      onFailure(error)
    }
  }

  /// Takes submissions up to a batch's size from the front, and sees them through.
  private func recordSome(of rest: inout ArraySlice<Submission>) {
    var batch: [Submission] = []
    var records: [[UInt8]] = []
    var byteCount = 0
    while let submission = rest.popFirst() {
      if let deadline = submission.deadline, Clock.monotonicNanoseconds() > deadline {
        submission.completion(.failure(.deadlineExceeded))
        continue
      }
      if batch.isEmpty, answerWithoutJournal(submission) { continue }
      let record = StoredInput(submission.input).encoded()
      batch.append(submission)
      records.append(record)
      byteCount += record.count
      if byteCount >= Recorder.batchBytes { break }
    }
    guard !batch.isEmpty else { return }
    do {
      _ = try journal.append(records)
    } catch {
      fail(batch, error)
      return
    }
    for submission in batch { apply(submission) }
  }

  /// Answers what the state, which is on the disk, already proves to change nothing. Not after another input of the same batch,
  /// which may change what is proven.
  private func answerWithoutJournal(_ submission: Submission) -> Bool {
    guard case .recording(let recording) = submission.input else { return false }
    let result: Result<Applied, StoreError>? = state.withLock { state in
      do throws(Refusal) {
        if try state.ledger.changes(by: recording) { return nil }
        return .success(Applied(recorded: try state.ledger.record(recording), revision: state.revision))
      } catch {
        return .failure(.refused(error))
      }
    }
    guard let result else { return false }
    submission.completion(result)
    return true
  }

  private func fail(_ batch: [Submission], _ error: JournalError) {
    let answer: StoreError
    switch error {
    case .outOfSpace(let reason): answer = .readOnly(reason.description)
    case .tooLarge: answer = .journal(error)
    default: answer = .outcomeUnknown(error.description)
    }
    for submission in batch { submission.completion(.failure(answer)) }
    if case .outcomeUnknown = answer { onFailure(error) }
  }
}

// MARK: - After the sync

extension Recorder {
  /// Applies an input, publishes what it changed, and tells the caller.
  private func apply(_ submission: Submission) {
    let result: Result<Applied, StoreError> = state.withLock { state in
      do throws(Refusal) {
        let recorded = try state.apply(submission.input)
        var publication = Publication(cache: cache, revision: state.revision)
        if case .recording = submission.input {
          let moment = submission.evaluateAt ?? Moment(milliseconds: Clock.wallMilliseconds())
          for customer in recorded.affected.sorted() { publication.fold(customer, in: state.ledger, changesAt: moment) }
        } else {
          publication.foldEveryone(in: state.ledger)
        }
        publication.publish()
        return .success(Applied(recorded: recorded, changes: publication.accessChanges, revision: state.revision))
      } catch {
        cache.publish([], revision: state.revision)
        return .failure(.refused(error))
      }
    }
    waiters.advance(to: cache.revision)
    submission.completion(result)
  }
}
