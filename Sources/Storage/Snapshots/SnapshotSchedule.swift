/// When a snapshot is due that nobody asked for: by what the journal holds since the newest one, and by time.
package struct SnapshotSchedule: Sendable {
  /// How many bytes of inputs make a snapshot due; 0: none do.
  private let afterBytes: UInt64
  /// After how long whatever was recorded makes one due; 0: never.
  private let everyNanoseconds: UInt64
  /// The revision of the newest snapshot, as it was last noted.
  private var newest: UInt64?
  /// When that one was noted.
  private var newestNoted: UInt64
  /// Before this moment nothing is tried, since the last try failed.
  private var nextTry: UInt64 = 0

  package static let defaultBytes: UInt64 = 256 << 20
  package static let defaultSeconds: Int64 = 3_600
  /// How long after a failure it is tried again: a disk that is full seldom has room a second later.
  package static let secondsBetweenTries: Int64 = 60

  /// - Parameters:
  ///   - everySeconds: 0 or more.
  ///   - newest: the revision of the newest snapshot, if there is one.
  ///   - now: nanoseconds of the clock by which `isDue` is asked.
  package init(
    afterBytes: UInt64 = defaultBytes, everySeconds: Int64 = defaultSeconds, newest: UInt64?, now: UInt64
  ) {
    self.afterBytes = afterBytes
    everyNanoseconds = SnapshotSchedule.nanoseconds(everySeconds)
    self.newest = newest
    newestNoted = now
  }

  /// Notes which snapshot is the newest. One that was taken for another reason counts like one of the schedule's own.
  package mutating func note(newest: UInt64?, now: UInt64) {
    guard newest != self.newest else { return }
    self.newest = newest
    (newestNoted, nextTry) = (now, 0)
  }

  /// Whether a snapshot is due.
  ///
  /// - Parameter bytes: of the inputs that the journal holds since the newest snapshot; 0: nothing was recorded, nothing is due.
  package func isDue(bytes: UInt64, now: UInt64) -> Bool {
    guard bytes > 0, now >= nextTry else { return false }
    return afterBytes > 0 && bytes >= afterBytes || everyNanoseconds > 0 && now - newestNoted >= everyNanoseconds
  }

  /// Says that a snapshot which was due couldn't be written.
  package mutating func noteFailure(now: UInt64) {
    nextTry = now + SnapshotSchedule.nanoseconds(SnapshotSchedule.secondsBetweenTries)
  }

  private static func nanoseconds(_ seconds: Int64) -> UInt64 {
    let (nanoseconds, isOver) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return isOver ? .max : nanoseconds
  }
}
