import LatchkeyWire
import Platform
import Storage

/// What goes out on one watch stream: the frames that its client hasn't taken yet, and the checkpoints in them.
struct WatchStream: Sendable {
  private let reply: any LateReply
  /// Of `Clock.monotonicNanoseconds`; nil: none.
  private let deadline: UInt64?
  private let checkpointNanoseconds: UInt64
  /// Frames that wait to be sent: little more than `batchBytes`, or the changes of one publication.
  private var frames: [UInt8] = []
  /// The last checkpoint that is in a frame; nil: none.
  private var checkpoint: ChangePosition?
  /// The same of frames that were sent.
  private var sentCheckpoint: ChangePosition?
  /// When the next one is due, of `Clock.monotonicNanoseconds`.
  private(set) var nextCheckpoint: UInt64

  /// How many bytes of frames are sent at once.
  private static let batchBytes = 64 << 10

  /// - Parameter position: where the client goes on from; nil: nowhere.
  init(
    _ reply: any LateReply, deadline: UInt64?, checkpointNanoseconds: UInt64, from position: ChangePosition?
  ) {
    self.reply = reply
    self.deadline = deadline
    self.checkpointNanoseconds = checkpointNanoseconds
    nextCheckpoint = Clock.monotonicNanoseconds() + checkpointNanoseconds
    (checkpoint, sentCheckpoint) = (position, position)
  }

  /// Whether as much waits as is sent at once.
  var isFull: Bool { frames.count >= WatchStream.batchBytes }

  /// Why the stream has to end, whatever there is to tell; nil: it goes on.
  var reasonToEnd: (code: StatusCode, reason: String)? {
    if reply.isCancelled { return (.cancelled, "the client cancelled the watch") }
    if let deadline, Clock.monotonicNanoseconds() > deadline { return (.deadlineExceeded, "the deadline passed") }
    return nil
  }

  /// Sends what waits; false where the client must read first.
  mutating func flush() -> Bool {
    if frames.isEmpty { return true }
    guard reply.send(frames) else { return false }
    sentCheckpoint = checkpoint
    frames.removeAll(keepingCapacity: frames.count <= WatchStream.batchBytes)
    return true
  }

  /// Ends the stream with a status that says where to go on.
  ///
  /// - Parameter position: that of a last checkpoint where the client reads; nil: none.
  mutating func end(_ code: StatusCode, _ reason: String, at position: ChangePosition?) {
    if flush(), let position {
      appendCheckpoint(at: position)
      _ = flush()
    }
    let advice = sentCheckpoint.map { "resume from \($0.inWords), or " } ?? ""
    end(Status(code, "\(reason); \(advice)begin again with snapshot_first"))
  }

  /// Ends the stream with a status.
  func end(_ status: Status) { reply.finish(Frame.ending(stream: reply.streamID, with: status)) }
}

// MARK: - Events

extension WatchStream {
  /// Tells changes; the last one of a position is a checkpoint, too.
  mutating func append(_ group: ChangeGroup, _ shared: inout SharedFrames) {
    shared.append(group, streamID: reply.streamID, to: &frames)
    if group.isWhole { noteCheckpoint(at: group.position) }
  }

  /// Tells present answers.
  mutating func append(present answers: [AnswerChange], at position: ChangePosition) {
    for answer in answers { append(WatchEvent.with { $0.change = WatchedChange(answer) }, at: position) }
  }

  /// Tells that these were the present answers.
  mutating func appendPresentEnd(at position: ChangePosition) {
    append(WatchEvent.with { ($0.snapshotEnd, $0.checkpoint) = (true, true) }, at: position)
  }

  /// Tells where to resume, unless that was told.
  mutating func appendCheckpoint(at position: ChangePosition) {
    nextCheckpoint = Clock.monotonicNanoseconds() + checkpointNanoseconds
    if position != checkpoint { append(WatchEvent.with { $0.checkpoint = true }, at: position) }
  }

  private mutating func append(_ event: WatchEvent, at position: ChangePosition) {
    var event = event
    event.position = WatchPosition(position)
    Frame.append(event, streamID: reply.streamID, to: &frames)
    if event.checkpoint { noteCheckpoint(at: position) }
  }

  private mutating func noteCheckpoint(at position: ChangePosition) {
    checkpoint = position
    nextCheckpoint = Clock.monotonicNanoseconds() + checkpointNanoseconds
  }
}
