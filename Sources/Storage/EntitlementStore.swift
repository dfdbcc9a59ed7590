import Entitlements
import Journaling
import Platform
import Synchronization

/// Who owns what: durable, and answered from memory.
///
/// Inputs go in by `submit`, and change the state only after their journal bytes are on the disk. Checks read `cache`; whatever
/// looks at histories reads the ledger by `read`.
package final class EntitlementStore: Sendable {
  package let cache: EntitlementCache
  package let waiters = RevisionWaiters()
  /// What was published of late, for those who watch.
  package let publications: PublicationLog
  /// What was found when the store was opened.
  package let recovery: RecoverySummary
  let journal: Journal
  let state: Guarded<StoreState>
  /// The long works that are under way.
  private let longWorks = AwaitedValue<Set<LongWork>>([])
  /// Tells a long work to give up.
  let isClosing = Atomic(false)
  /// How many allowed checks the newest snapshot holds.
  let checksInSnapshot = Atomic<Int64>(0)
  let queue = SubmissionQueue()
  private let recorder: Guarded<Thread?>
  /// Why the recorder ended, once it did because a write failed.
  private let failure = Guarded<JournalError?>(nil)

  init(
    journal: Journal, state: consuming sending StoreState, cache: EntitlementCache, publications: PublicationLog,
    onFailure: @escaping @Sendable (JournalError) -> Void
  ) throws(SystemError) {
    self.journal = journal
    self.cache = cache
    self.publications = publications
    self.recovery = journal.recovery
    self.state = Guarded(state)
    waiters.advance(to: cache.revision)
    let recorder = Recorder(
      queue: queue, journal: journal, state: self.state, cache: cache, publications: publications, waiters: waiters,
      onFailure: onFailure)
    self.recorder = Guarded(
      try Thread(named: "recorder", nice: Precedence.answers) { [failure] in
        do throws(JournalError) { try recorder.run() } catch { failure.withLock { $0 = error } }
      })
  }

  // A store that nobody holds any more lets its recorder end, which sees through what waits.
  deinit { queue.close() }

  /// The revision that every answer includes.
  package var revision: UInt64 { cache.revision }

  /// With which snapshot from now on what is erased now is gone from the disk: the first makes it needless, the second lets go of
  /// the snapshot before and of the journal up to the erasure. Only a snapshot of a later revision than the last one counts, and none
  /// that was under way when the customer was erased: it is of a revision before.
  package static let snapshotsUntilGone = 2

  /// How long journal and snapshots are kept beyond that.
  package var keptJournalDays: Int64 { journal.keptSeconds / 86_400 }

  /// Sends an input to the journal, and calls back once it is durable and visible, or why not; on any thread.
  ///
  /// An input that the state already proves to change nothing may be answered without the journal, at the revision that it is at.
  /// - Parameters:
  ///   - evaluateAt: the moment at which the changes compare before and after; nil: when it is applied.
  ///   - deadline: of `Clock.monotonicNanoseconds`; past it, work that hasn't begun isn't done. A write that reached the journal is
  ///     never reported as timed out.
  package func submit(
    _ input: consuming Input, evaluateAt: Moment? = nil, deadline: UInt64? = nil,
    _ completion: @escaping @Sendable (Result<Applied, StoreError>) -> Void
  ) {
    let submission: Submission
    do throws(Refusal) {
      submission = try Submission(input, evaluateAt: evaluateAt, deadline: deadline, completion: completion)
    } catch {
      return completion(.failure(.refused(error)))
    }
    do throws(StoreError) { try queue.add(submission) } catch { completion(.failure(error)) }
  }

  /// Submits an input and waits until it is durable and visible. Not for a thread that serves connections.
  package func submitAndWait(_ input: Input, evaluateAt: Moment? = nil) throws(StoreError) -> Applied {
    let result = AwaitedValue<Result<Applied, StoreError>?>(nil)
    submit(input, evaluateAt: evaluateAt) { answer in result.update { $0 = answer } }
    return try result.wait { $0 }.get()
  }

  /// Reads the ledger as of one revision. Recordings wait meanwhile, checks don't.
  package func read<Result: Sendable>(_ body: (Ledger, UInt64) -> Result) -> Result {
    state.withLock { body($0.ledger, $0.revision) }
  }

  /// Sees through what was submitted, seals the journal, and takes a snapshot. Submissions are refused from now on, long
  /// works that are under way give up or, as a snapshot, are waited for.
  ///
  /// - Throws: `.journal` where the journal failed, now or before.
  package func close() throws(StoreError) {
    isClosing.store(true, ordering: .releasing)
    queue.close()
    recorder.withLock { thread in thread.take()?.join() }
    if let failure = failure.withLock({ $0 }) { throw .journal(failure) }
    longWorks.wait { $0.isEmpty ? () : nil }
    try makeRevisionForCounts()
    // There is nobody left from whom it could take time.
    try takeSnapshot(nice: 0)
  }

  /// Runs a long work, of which no other one may be under way.
  func exclusively<Result>(_ work: LongWork, _ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    guard longWorks.update({ $0.insert(work).inserted }) else { throw .busy(work.rawValue) }
    defer { longWorks.update { _ = $0.remove(work) } }
    return try body()
  }
}
