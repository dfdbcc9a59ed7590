import Platform
import Synchronization

/// An open store of opaque records, each with its revision: 1 for the first, and one more for each after it.
///
/// Records are appended by one thread. Another may write a snapshot at the same time.
package final class Journal: Sendable {
  /// What was found when the store was opened.
  package let recovery: RecoverySummary
  private let writer: Guarded<JournalWriter>
  let snapshots: SnapshotDirectory
  private let lastAppended: Atomic<UInt64>
  private let isWritingSnapshot = Atomic(false)
  private let lock: FileLock

  init(writer: consuming sending JournalWriter, snapshots: SnapshotDirectory, recovery: RecoverySummary, lock: consuming FileLock)
  {
    self.writer = Guarded(writer)
    self.snapshots = snapshots
    self.recovery = recovery
    self.lock = lock
    lastAppended = Atomic(recovery.lastRevision)
  }

  /// The revision of the last record on the disk, 0 when there is none.
  package var lastRevision: UInt64 { lastAppended.load(ordering: .acquiring) }

  /// Appends the records as one batch, which is stored whole or not at all, and returns once it is on the disk.
  ///
  /// Throws `.tooLarge` or `.outOfSpace` when nothing was written, and `.failed` when nobody knows; after that every call does.
  /// - Parameters:
  ///   - records: one at least; see `JournalLimits`.
  ///   - ending: what each of them goes on with.
  /// - Returns: the revision of the last record.
  package func append(_ records: [[UInt8]], ending: [UInt8] = []) throws(JournalError) -> UInt64 {
    let batch = FrameRecords(records: records, ending: ending)
    let revision = try writer.withLock { (writer) throws(JournalError) in try writer.append(batch) }
    lastAppended.store(revision, ordering: .releasing)
    return revision
  }

  /// Proves on the disk that the last batch was complete, so that damage to it is never taken for an unfinished write.
  ///
  /// To be called when nothing waits to be appended, and at the end; does nothing when it is already proven.
  package func seal() throws(JournalError) {
    try writer.withLock { (writer) throws(JournalError) in try writer.seal() }
  }

  /// Notes in the manifest that all that was appended is on the disk, so that a journal whose end is lost later, its seal
  /// included, is never taken for one whose process was killed before it wrote so much. Does nothing where that is noted already.
  ///
  /// Four syncs, for which no append waits unless it needs a new segment. Throws `.outOfSpace` or `.system`; either leaves the
  /// journal right as it is.
  package func noteComplete() throws(JournalError) {
    let revision = lastRevision
    try SnapshotDirectory.storing { [snapshots] () throws(SystemError) in
      try snapshots.manifest.withLock { (file) throws(SystemError) in
        guard file.current.completeRevision < revision else { return }
        try file.update { $0.completeRevision = revision }
      }
    }
  }

  /// Goes on in a new segment, so that what was appended so far shares no file with what comes, and goes as soon as no snapshot
  /// needs it. Does nothing where the segment has no records yet.
  ///
  /// Throws `.outOfSpace` when there is no room for one; then all is as it was.
  package func startSegment() throws(JournalError) {
    try writer.withLock { (writer) throws(JournalError) in try writer.startSegment() }
  }

  /// Stores the state as of a revision, verifies it, removes what two generations of snapshots no longer need, and appends its
  /// digest, which a replay from before it must reproduce.
  ///
  /// Throws `.failed` where nobody knows whether the digest is on the disk; so does the next `append` or `seal`.
  /// One at a time. A revision of 0, or of the newest snapshot, is stored already: nothing happens.
  /// - Parameters:
  ///   - revision: at most `lastRevision`.
  ///   - body: writes the state in blocks, and returns a digest of it, which is given back at recovery; what it throws is thrown as
  ///     `.rejected`, and the store is as it was.
  /// - Returns: the length of the snapshot in bytes, 0 when nothing happened.
  @discardableResult
  package func writeSnapshot(
    revision: UInt64, _ body: (inout SnapshotWriter) throws -> UInt64
  ) throws(JournalError) -> UInt64 {
    precondition(revision <= lastRevision, "a snapshot holds what is on the disk only")
    let wasBusy = isWritingSnapshot.exchange(true, ordering: .acquiringAndReleasing)
    precondition(!wasBusy, "one snapshot at a time")
    defer { isWritingSnapshot.store(false, ordering: .releasing) }
    let newest = newestSnapshotRevision ?? 0
    precondition(revision >= newest, "snapshots never go back")
    if revision == newest { return 0 }
    let written = try snapshots.write(revision: revision, body)
    try append(DigestNote(revision: revision, digest: written.digest))
    return written.bytes
  }

  private func append(_ note: DigestNote) throws(JournalError) {
    do throws(JournalError) {
      try writer.withLock { (writer) throws(JournalError) in try writer.append(note) }
    } catch {
      // Without room for the digest the snapshot is as good, and its own footer has it.
      guard case .outOfSpace = error else { throw error }
    }
  }

  /// How long snapshots and the segments after them are kept beyond what recovery needs.
  package var keptSeconds: Int64 { snapshots.options.keptSeconds }

  /// Up to which revision the manifest says that the journal was complete on the disk.
  package var completeRevision: UInt64 { snapshots.manifest.withLock { $0.current.completeRevision } }

  /// The revision of the newest snapshot, if there is one.
  package var newestSnapshotRevision: UInt64? { snapshots.manifest.withLock { $0.current.snapshots.last } }
}
