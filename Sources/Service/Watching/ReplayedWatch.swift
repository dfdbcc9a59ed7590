import LatchkeyWire
import Storage

/// A watch that is told by a replay of the journal what it missed.
struct ReplayedWatch: Sendable {
  let filter: WatchFilter
  private(set) var stream: WatchStream
  /// Everything up to here was told.
  private(set) var position: ChangePosition
  /// Whether some changes of one position were told, and others of it weren't yet.
  private(set) var isInside = false
  /// How many replays it took part in.
  let replays: Int

  /// How many replays one watch takes part in: more are needed only where recordings come faster than they are replayed.
  private static let replayLimit = 16

  /// - Throws: `RESOURCE_EXHAUSTED` where it took part in too many already.
  init(_ stream: WatchStream, _ filter: WatchFilter, after position: ChangePosition, replays: Int) throws(Status) {
    guard replays < ReplayedWatch.replayLimit else {
      throw Status(
        .resourceExhausted,
        "recordings come faster than the journal is replayed; resume from \(position.inWords) later, or begin again with "
          + "snapshot_first")
    }
    (self.stream, self.filter, self.position, self.replays) = (stream, filter, position, replays + 1)
  }

  /// Tells those of some changes that are watched and weren't told, and sends them where enough wait.
  mutating func take(_ group: ChangeGroup, _ shared: inout SharedFrames) {
    guard group.position > position else { return }
    let watched = filter.watched(group)
    if !watched.changes.isEmpty || isInside && watched.isWhole {
      stream.append(watched, &shared)
      isInside = !watched.isWhole
    }
    if group.isWhole { position = group.position }
    if stream.isFull { _ = stream.flush() }
  }

  /// Sends what waits, and a checkpoint if one is due, at a moment of `Clock.monotonicNanoseconds`.
  mutating func keepUp(at now: UInt64) {
    if now >= stream.nextCheckpoint, !isInside { stream.appendCheckpoint(at: position) }
    _ = stream.flush()
  }

  /// Sends what waits; false where the client must read first.
  mutating func flush() -> Bool { stream.flush() }

  /// Ends the stream with a status that says where to go on.
  mutating func end(_ code: StatusCode, _ reason: String) { stream.end(code, reason, at: isInside ? nil : position) }

  /// What goes on behind a position up to which all was told.
  func arrival(at reached: ChangePosition) -> WatchArrival {
    WatchArrival(stream: stream, filter: filter, start: .replayed(max(position, reached), replays: replays))
  }
}
