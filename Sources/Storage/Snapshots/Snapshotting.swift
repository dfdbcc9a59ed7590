import Entitlements
import Journaling
import Platform

extension EntitlementStore {
  /// Writes the state as of one revision to the disk, verified, so that a start needs only the journal after it.
  ///
  /// Checks and recordings go on: this thread takes the state in parts, each in a turn of the ledger that is shorter than a
  /// recording's. Another one makes bytes of them and writes, at a priority at which it takes time from nobody, and holds no lock.
  /// - Parameters:
  ///   - nice: the priority of the thread that writes.
  ///   - between: called after each part.
  /// - Returns: the revision, and the bytes written: 0 where a snapshot of it is there already.
  /// - Throws: `.busy` while another snapshot is under way, `.journal`.
  @discardableResult
  package func takeSnapshot(
    nice: Int32 = Precedence.writing, between: () -> Void = {}
  ) throws(StoreError) -> (revision: UInt64, bytes: UInt64) {
    try exclusively(.snapshot) { () throws(StoreError) in
      // A snapshot ends with a write to the journal: had that failed, the recorder would find out.
      defer { queue.wakeUp() }
      var (sweep, bytesBefore) = state.withLock { state in (SnapshotSweep(of: &state), state.bytesSinceSnapshot) }
      defer { state.withLock { $0.ledger.endSweep() } }
      let written = try writing(revision: sweep.revision, nice: nice) { give in
        while let part = state.withLock({ sweep.next(of: &$0) }), give(part) { between() }
        for shard in 0..<EntitlementCache.shardCount where give(.usages(cache.usages(inShard: shard))) { between() }
      }
      state.withLock { $0.bytesSinceSnapshot -= bytesBefore }
      checksInSnapshot.store(written.checks ?? checksInSnapshot.load(ordering: .acquiring), ordering: .releasing)
      return (sweep.revision, written.bytes)
    }
  }

  /// Writes the parts that the body gives on a thread of its own, and waits for its end.
  private func writing(
    revision: UInt64, nice: Int32, _ giveAll: (_ give: (SnapshotPart) -> Bool) -> Void
  ) throws(StoreError) -> (bytes: UInt64, checks: Int64?) {
    let parts = Handover<SnapshotPart>()
    let result = Guarded<Result<(bytes: UInt64, checks: Int64?), JournalError>?>(nil)
    let thread: Thread
    do throws(SystemError) {
      thread = try Thread(named: "snapshot", nice: nice) { [journal] in
        let written = Result { () throws(JournalError) in try SnapshotContents.write(parts, revision: revision, to: journal) }
        result.withLock { $0 = written }
        parts.end()
      }
    } catch {
      throw .journal(.system(error))
    }
    giveAll { parts.give($0) }
    parts.end()
    thread.join()
    guard let result = result.withLock({ $0 }) else { preconditionFailure("the thread that writes ends with a result") }
    do throws(JournalError) { return try result.get() } catch { throw .journal(error) }
  }
}

/// What was written of a snapshot, and what is known of it only at its end.
private struct SnapshotContents {
  private var blocks = BlockBuilder()
  private var digest = StateDigest()
  private var checks: Int64 = 0
  private var pauses = CorePauses()

  /// Writes all parts as the snapshot of a revision.
  ///
  /// - Returns: the bytes written, and how many allowed checks are in them; nil where the snapshot was there already.
  static func write(
    _ parts: Handover<SnapshotPart>, revision: UInt64, to journal: Journal
  ) throws(JournalError) -> (bytes: UInt64, checks: Int64?) {
    var checks: Int64?
    let bytes = try journal.writeSnapshot(revision: revision) { writer in
      var contents = SnapshotContents()
      while let part = parts.take() { try contents.add(part, to: &writer) }
      try contents.blocks.finish(to: &writer)
      checks = contents.checks
      return contents.digest.value
    }
    return (bytes, checks)
  }

  private mutating func add(_ part: SnapshotPart, to writer: inout SnapshotWriter) throws {
    if case .usages(let usages) = part { checks += usages.reduce(0) { $0 + $1.checks } }
    try part.forEachEntry { entry in
      digest.add(entry)
      try blocks.write(entry, to: &writer)
      pauses.yieldIfDue()
    }
  }
}

// MARK: - Counts of allowed checks

extension EntitlementStore {
  /// Journals the settings once more where the newest snapshot is of this very revision, and lacks checks that were counted since:
  /// there is one snapshot of a revision. Only once the recorder has ended.
  func makeRevisionForCounts() throws(StoreError) {
    let result: Result<Void, JournalError> = state.withLock { state in
      guard state.revision > 0, journal.newestSnapshotRevision == state.revision,
        countedChecks != checksInSnapshot.load(ordering: .acquiring)
      else { return .success(()) }
      do throws(JournalError) {
        let input = Input.settings(state.ledger.settings).normalForm
        let now = Moment(milliseconds: publications.now)
        _ = try journal.append([StoredInput(input, recordedAt: now).record])
        try journal.seal()
        // Settings are never refused.
        _ = try? state.apply(input)
        cache.publish([], revision: state.revision)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    do throws(JournalError) { try result.get() } catch { throw .journal(error) }
  }

  private var countedChecks: Int64 {
    (0..<EntitlementCache.shardCount).reduce(0) { sum, shard in cache.usages(inShard: shard).reduce(sum) { $0 + $1.checks } }
  }
}
