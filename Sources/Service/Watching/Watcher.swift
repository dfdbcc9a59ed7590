import LatchkeyWire
import Platform
import Storage

/// One watch stream: where it is, and what its client hasn't taken yet.
struct Watcher {
  private let reply: any LateReply
  /// Of `Clock.monotonicNanoseconds`; nil: none.
  private let deadline: UInt64?
  private let checkpointNanoseconds: UInt64
  private var cursor: ChangeCursor
  /// Frames that wait to be sent: little more than `batchBytes`, or the changes of one publication.
  private var frames: [UInt8] = []
  /// The last checkpoint that is in a frame; nil: none.
  private var checkpoint: ChangePosition?
  /// The same of frames that were sent.
  private var sentCheckpoint: ChangePosition?
  /// Whether the present answers are being told, so that there is nowhere to resume from.
  private var tellsPresent: Bool
  /// When the next one is due, of `Clock.monotonicNanoseconds`.
  private var nextCheckpoint: UInt64

  /// How many bytes of frames are sent at once.
  private static let batchBytes = 64 << 10
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
    case ended
  }

  /// Begins a stream behind a position, or at the present.
  ///
  /// - Throws: why it can't.
  init(_ arrival: WatchArrival, feed: ChangeFeed, checkpointNanoseconds: UInt64) throws(WatchFailure) {
    reply = arrival.reply
    deadline = arrival.deadline
    self.checkpointNanoseconds = checkpointNanoseconds
    nextCheckpoint = Clock.monotonicNanoseconds() + checkpointNanoseconds
    switch arrival.wish.start {
    case .now:
      cursor = try feed.follow(from: nil, arrival.wish.filter)
      tellsPresent = false
      // Where it begins, so that it can be resumed from its first moment on.
      append(WatchEvent.with { $0.checkpoint = true }, at: cursor.position)
    case .after(let position):
      cursor = try feed.follow(from: position, arrival.wish.filter)
      tellsPresent = false
      (checkpoint, sentCheckpoint) = (position, position)
    case .present:
      cursor = try feed.present(arrival.wish.filter)
      tellsPresent = true
    }
  }

  /// Sends what there is, as far as the client takes it.
  mutating func serve(_ feed: ChangeFeed) -> Progress {
    if reply.isCancelled { return end(.cancelled, "the client cancelled the watch") }
    if let deadline, Clock.monotonicNanoseconds() > deadline { return end(.deadlineExceeded, "the deadline passed") }
    do throws(WatchFailure) {
      for _ in 0..<Watcher.stepsInTurn {
        if frames.count >= Watcher.batchBytes, !flush() { return try stall(feed) }
        guard let step = try feed.next(&cursor) else {
          if Clock.monotonicNanoseconds() >= nextCheckpoint { appendCheckpoint() }
          return flush() ? .upToDate(nextCheckpoint: nextCheckpoint) : try stall(feed)
        }
        append(step)
      }
      return flush() ? .busy : try stall(feed)
    } catch {
      return end(.resourceExhausted, "the client reads too slowly: what it has to be told next isn't kept any more")
    }
  }

  /// Ends the stream with a status that says where to go on, after a last checkpoint where the client reads.
  mutating func end(_ code: StatusCode, _ reason: String) -> Progress {
    if flush() {
      appendCheckpoint()
      _ = flush()
    }
    let advice = sentCheckpoint.map { "resume from \($0.inWords), or " } ?? ""
    let status = Status(code, "\(reason); \(advice)begin again with snapshot_first")
    reply.finish(Frame.ending(stream: reply.streamID, with: status))
    return .ended
  }

  private func stall(_ feed: ChangeFeed) throws(WatchFailure) -> Progress {
    try feed.check(cursor)
    return .stalled
  }
}

// MARK: - Frames

extension Watcher {
  private mutating func append(_ step: WatchStep) {
    switch step {
    case .nothing: break
    case .present(let answers):
      for answer in answers { append(WatchEvent.with { $0.change = WatchedChange(answer) }, at: cursor.position) }
    case .presentEnd:
      tellsPresent = false
      append(WatchEvent.with { ($0.snapshotEnd, $0.checkpoint) = (true, true) }, at: cursor.position)
    case .changes(let group): append(group)
    }
  }

  /// The last change of a position is a checkpoint, too.
  private mutating func append(_ group: ChangeGroup) {
    if group.changes.isEmpty { return append(WatchEvent.with { $0.checkpoint = true }, at: group.position) }
    for (index, change) in group.changes.enumerated() {
      let event = WatchEvent.with {
        $0.change = WatchedChange(change)
        $0.checkpoint = group.isWhole && index == group.changes.count - 1
      }
      append(event, at: group.position)
    }
  }

  private mutating func appendCheckpoint() {
    nextCheckpoint = Clock.monotonicNanoseconds() + checkpointNanoseconds
    guard !tellsPresent, !cursor.isInside, cursor.position != checkpoint else { return }
    append(WatchEvent.with { $0.checkpoint = true }, at: cursor.position)
  }

  private mutating func append(_ event: WatchEvent, at position: ChangePosition) {
    var event = event
    event.position = WatchPosition(position)
    do throws(FrameViolation) {
      try Frame.append(streamed: event, streamID: reply.streamID, to: &frames)
    } catch {
      preconditionFailure("an event of two names fits into a frame")
    }
    if event.checkpoint {
      checkpoint = position
      nextCheckpoint = Clock.monotonicNanoseconds() + checkpointNanoseconds
    }
  }

  /// Sends what waits; false where the client must read first.
  private mutating func flush() -> Bool {
    if frames.isEmpty { return true }
    guard reply.send(frames) else { return false }
    sentCheckpoint = checkpoint
    frames.removeAll(keepingCapacity: frames.count <= Watcher.batchBytes)
    return true
  }
}

extension WatchedChange {
  fileprivate init(_ change: AnswerChange) {
    self.init()
    customerID = change.customer.text
    entitlement = change.entitlement.text
    let wire = CheckAccessAnswer(change.answer, revision: 0)
    allowed = wire.allowed
    reason = wire.reason
    validUntilMilliseconds = wire.validUntilMilliseconds
    ownership = wire.ownership
  }
}
