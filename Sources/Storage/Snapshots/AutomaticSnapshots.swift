import Platform

/// Takes snapshots of a store by themselves, on a thread of its own, for as long as somebody holds this or until `end`.
package final class AutomaticSnapshots: Sendable {
  private let isEnding = AwaitedValue(false)
  private let thread: Guarded<Thread?>

  /// How often the schedule is asked.
  private static let intervalNanoseconds: UInt64 = 1_000_000_000

  /// Begins.
  ///
  /// - Parameters:
  ///   - everySeconds: as `afterBytes` in `SnapshotSchedule`.
  ///   - report: told in words of each snapshot, and of each failure, after which it is tried again later.
  package init(
    of store: EntitlementStore, afterBytes: UInt64, everySeconds: Int64, report: @escaping @Sendable (String) -> Void
  ) throws(SystemError) {
    let beginning = SnapshotSchedule(
      afterBytes: afterBytes, everySeconds: everySeconds, newest: store.newestSnapshotRevision,
      now: Clock.monotonicNanoseconds())
    thread = Guarded(
      try Thread(named: "snapshots", nice: Precedence.longWorks) { [isEnding] in
        var schedule = beginning
        while !AutomaticSnapshots.waits(for: isEnding) {
          store.takeSnapshot(by: &schedule, now: Clock.monotonicNanoseconds, report)
        }
      })
  }

  deinit { isEnding.update { $0 = true } }

  /// Takes no more; waits for one that is under way.
  package func end() {
    isEnding.update { $0 = true }
    thread.withLock { thread in thread.take()?.join() }
  }

  /// Waits until it is time to ask again; returns whether it is time to end instead.
  private static func waits(for isEnding: AwaitedValue<Bool>) -> Bool {
    isEnding.wait(untilNanoseconds: Clock.monotonicNanoseconds() + intervalNanoseconds) { $0 ? true : nil } ?? false
  }
}

extension EntitlementStore {
  /// The revision of the newest snapshot, if there is one.
  var newestSnapshotRevision: UInt64? { journal.newestSnapshotRevision }

  /// Takes a snapshot if it is due, and reports it.
  ///
  /// - Parameter now: nanoseconds of a clock that only goes forward.
  func takeSnapshot(by schedule: inout SnapshotSchedule, now: () -> UInt64, _ report: (String) -> Void) {
    let bytes = state.withLock { $0.bytesSinceSnapshot }
    schedule.note(newest: newestSnapshotRevision, now: now())
    guard schedule.isDue(bytes: bytes, now: now()) else { return }
    do throws(StoreError) {
      let taken = try takeSnapshot()
      report("took a snapshot of revision \(taken.revision), \(taken.bytes) bytes")
    } catch .busy {
      // Somebody takes one: so be it.
    } catch {
      schedule.noteFailure(now: now())
      report(
        "a snapshot could not be taken, and is tried again in \(SnapshotSchedule.secondsBetweenTries) seconds; nothing is lost: \(error)"
      )
    }
  }
}
