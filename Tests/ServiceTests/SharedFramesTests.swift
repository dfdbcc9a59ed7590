import Entitlements
import Testing

@testable import Service
@testable import Storage

/// The frames of changes that several watches share.
@Suite struct SharedFramesTests {
  private func group(revision: UInt64) -> ChangeGroup {
    let answer = AccessBlock.Answer(reason: .purchased, ownership: 1, validUntil: .max)
    let change = AnswerChange(customer: CustomerID("ana"), entitlement: Identifier("pro"), answer: answer)
    return ChangeGroup(position: ChangePosition(revision: revision, time: 0), changes: [change])
  }

  @Test("What is kept for other watches leaves the buffer to the watch that sends it, and its room to be used again")
  func keepsNoBuffer() {
    var shared = SharedFrames()
    var frames: [UInt8] = []
    frames.reserveCapacity(64 << 10)
    let first = unsafe frames.withUnsafeBufferPointer { $0.baseAddress }
    for revision in UInt64(1)...3 {
      shared.append(group(revision: revision), streamID: 1, to: &frames)
      frames.removeAll(keepingCapacity: true)
    }
    let last = unsafe frames.withUnsafeBufferPointer { $0.baseAddress }
    #expect(unsafe first == last)
  }

  @Test("A second watch gets the frames of the first one, but for its stream's id, behind what it has")
  func differsInStream() {
    var shared = SharedFrames()
    let group = group(revision: 7)
    var frames: [[UInt8]] = [[], [0xff], []]
    shared.append(group, streamID: 1, to: &frames[0])
    shared.append(group, streamID: 3, to: &frames[1])
    var others = SharedFrames()
    others.append(group, streamID: 3, to: &frames[2])
    #expect(frames[0] != frames[2])
    #expect(frames[1] == [0xff] + frames[2])
  }
}
