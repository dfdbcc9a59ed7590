import Platform
import TestSupport
import Testing

@Suite("ByteQueue")
struct ByteQueueTests {
  @Test("Bytes leave in the order in which they came, whatever the pieces", arguments: [1, 2, 3] as [UInt64])
  func order(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var queue = ByteQueue()
    var model: [UInt8] = []
    for _ in 0..<2_000 {
      if random.oneIn(2) {
        let piece = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        queue.append(piece)
        model += piece
      } else {
        let count = Int.random(in: 0...model.count, using: &random)
        queue.removeFirst(count)
        model.removeFirst(count)
        if random.oneIn(4) { queue.release() }
      }
      #expect(queue.count == model.count)
      #expect(contents(of: queue) == model)
    }
  }

  @Test("What was reserved and not written is not there")
  func partialWrite() {
    var queue = ByteQueue()
    queue.write(atMost: 100) { room in
      room.append(7 as UInt8)
      room.append(8 as UInt8)
    }
    #expect(contents(of: queue) == [7, 8])
  }

  @Test("An empty queue gives its memory back, and one with bytes keeps it")
  func release() {
    var queue = ByteQueue()
    queue.append([1, 2, 3])
    queue.release()
    #expect(queue.allocatedBytes > 0)
    queue.removeFirst(3)
    queue.release(ifOver: queue.allocatedBytes)
    #expect(queue.allocatedBytes > 0)
    queue.release()
    #expect(queue.allocatedBytes == 0)
  }

  private func contents(of queue: borrowing ByteQueue) -> [UInt8] {
    queue.withBytes { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
  }
}
