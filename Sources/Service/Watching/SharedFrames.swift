import LatchkeyWire
import Storage

/// The frames of changes, made once for all watches that tell the same ones: only the stream's id differs. Belongs to one thread.
struct SharedFrames {
  /// Which changes they are, most likely: watches with other filters tell other ones of a position.
  private struct Key: Hashable {
    let position: ChangePosition
    let count: Int
  }

  private struct Made {
    let group: ChangeGroup
    let bytes: [UInt8]
    /// Where each frame begins.
    let starts: [Int]
  }

  private var made: [Key: Made] = [:]
  private var byteCount = 0

  /// How much is kept until all of it is dropped: what a turn of many watches tells is far less.
  private static let byteLimit = 1 << 20

  /// Appends the frames of changes for a stream.
  mutating func append(_ group: ChangeGroup, streamID: UInt32, to frames: inout [UInt8]) {
    let key = Key(position: group.position, count: group.changes.count)
    // Where the changes are the very same, this compares no more than where they stand.
    if let made = made[key], made.group == group {
      let start = frames.count
      frames += made.bytes
      for frame in made.starts { Frame.setStreamID(streamID, ofFrameAt: start + frame, in: &frames) }
      return
    }
    // Made apart, not taken out of `frames`: an array of all of it would share its memory, however much that has room for.
    var bytes: [UInt8] = []
    let starts = SharedFrames.append(group, streamID: streamID, to: &bytes)
    frames += bytes
    if byteCount > SharedFrames.byteLimit { (made, byteCount) = ([:], 0) }
    guard made[key] == nil else { return }
    made[key] = Made(group: group, bytes: bytes, starts: starts)
    byteCount += bytes.count
  }

  /// Makes the frames, and returns where each of them begins. The last change of a position is a checkpoint, too.
  private static func append(_ group: ChangeGroup, streamID: UInt32, to frames: inout [UInt8]) -> [Int] {
    let position = WatchPosition(group.position)
    if group.changes.isEmpty {
      let start = frames.count
      Frame.append(WatchEvent.with { ($0.position, $0.checkpoint) = (position, true) }, streamID: streamID, to: &frames)
      return [start]
    }
    return group.changes.indices.map { index in
      let start = frames.count
      let event = WatchEvent.with {
        $0.position = position
        $0.change = WatchedChange(group.changes[index])
        $0.checkpoint = group.isWhole && index == group.changes.count - 1
      }
      Frame.append(event, streamID: streamID, to: &frames)
      return start
    }
  }
}

extension Frame {
  /// Appends an event of a watch, which is never longer than a frame may be.
  static func append(_ event: WatchEvent, streamID: UInt32, to frames: inout [UInt8]) {
    do throws(FrameViolation) {
      try Frame.append(streamed: event, streamID: streamID, to: &frames)
    } catch {
      preconditionFailure("an event of two names fits into a frame")
    }
  }
}

extension WatchedChange {
  /// What the wire says of a change.
  init(_ change: AnswerChange) {
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
