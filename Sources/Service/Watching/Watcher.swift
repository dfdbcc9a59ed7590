import LatchkeyWire
import Platform
import Storage

/// A watch that follows the feed: where it is, and what goes out.
struct Watcher {
  private var stream: WatchStream
  private var cursor: ChangeCursor
  /// Whether the present answers are being told, so that there is nowhere to resume from.
  private var tellsPresent: Bool

  /// How many steps a watcher takes before others have their turn.
  private static let stepsInTurn = 256

  /// How a turn went.
  enum Progress {
    /// There is nothing to tell until the next checkpoint, of `Clock.monotonicNanoseconds`.
    case upToDate(nextCheckpoint: UInt64)
    /// There is more to do at once.
    case busy
    /// The client must read first.
    case stalled
    /// What it has to be told next isn't in memory any more, though the client reads: it goes on where it was.
    case overtaken(WatchStream, WatchFilter, after: ChangePosition)
    case ended
  }

  /// Begins behind a position, or at the present.
  ///
  /// - Throws: why it can't.
  init(_ arrival: WatchArrival, feed: ChangeFeed) throws(WatchFailure) {
    stream = arrival.stream
    tellsPresent = false
    switch arrival.start {
    case .now(let position):
      cursor = try feed.follow(from: position, arrival.filter)
      // Where it begins, so that it can be resumed from its first moment on.
      stream.appendCheckpoint(at: cursor.position)
    case .after(let position): cursor = try feed.follow(from: position, arrival.filter)
    case .replayed(let position, _): cursor = try feed.goOn(fromReplayed: position, arrival.filter)
    case .present:
      cursor = try feed.present(arrival.filter)
      tellsPresent = true
    }
  }

  /// Sends what there is, as far as the client takes it.
  mutating func serve(_ feed: ChangeFeed, _ shared: inout SharedFrames) -> Progress {
    if let (code, reason) = stream.reasonToEnd { return end(code, reason) }
    do throws(WatchFailure) {
      for _ in 0..<Watcher.stepsInTurn {
        if stream.isFull, !stream.flush() { return try stall(feed) }
        guard let step = try feed.next(&cursor) else {
          if Clock.monotonicNanoseconds() >= stream.nextCheckpoint, let resumable { stream.appendCheckpoint(at: resumable) }
          return stream.flush() ? .upToDate(nextCheckpoint: stream.nextCheckpoint) : try stall(feed)
        }
        take(step, &shared)
      }
      return stream.flush() ? .busy : try stall(feed)
    } catch {
      guard stream.flush() else {
        return end(.resourceExhausted, "the client reads too slowly: what it has to be told next isn't kept any more")
      }
      guard let resumable else { return end(.resourceExhausted, "changes came faster than they could be told") }
      return .overtaken(stream, cursor.filter, after: resumable)
    }
  }

  /// Ends the stream with a status that says where to go on, after a last checkpoint where the client reads.
  mutating func end(_ code: StatusCode, _ reason: String) -> Progress {
    stream.end(code, reason, at: resumable)
    return .ended
  }

  /// The position up to which all was told; nil within the present answers, and within the changes of a position.
  private var resumable: ChangePosition? { tellsPresent || cursor.isInside ? nil : cursor.position }

  private mutating func take(_ step: WatchStep, _ shared: inout SharedFrames) {
    switch step {
    case .nothing: break
    case .present(let answers): stream.append(present: answers, at: cursor.position)
    case .presentEnd:
      tellsPresent = false
      stream.appendPresentEnd(at: cursor.position)
    case .changes(let group): stream.append(group, &shared)
    }
  }

  private func stall(_ feed: ChangeFeed) throws(WatchFailure) -> Progress {
    try feed.check(cursor)
    return .stalled
  }
}
