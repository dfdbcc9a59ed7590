import Testing

@testable import Journaling

/// Blocks of a snapshot as bytes, without a file.
struct SnapshotBlockTests {
  private let start = BlockChain(checksum: 7)

  @Test("A block whole and in its place gives its content and the chain that the next one continues")
  func wholeBlocksAreRead() throws {
    let first = block("one", number: 0, after: start.checksum)
    let bytes = [9, 9] + first
    guard case .block(let found) = unsafe SnapshotBlock.read(bytes.span.bytes, at: 2, after: start) else {
      Issue.record("the block isn't found")
      return
    }
    #expect(Array(bytes[found.content]) == Array("one".utf8))
    #expect(found.chain.blockCount == 1 && found.chain.contentBytes == 3)
    let next = block("", number: 1, after: found.chain.checksum)
    guard case .block(let second) = unsafe SnapshotBlock.read(next.span.bytes, at: 0, after: found.chain) else {
      Issue.record("the next block isn't found")
      return
    }
    #expect(second.content.isEmpty && second.chain.blockCount == 2 && second.chain.contentBytes == 3)
  }

  @Test("No beginning of a block is taken for one")
  func truncatedBlocksAreDamaged() {
    let whole = block("content", number: 0, after: start.checksum)
    for count in 0..<whole.count {
      let outcome = unsafe SnapshotBlock.read(whole.span.bytes.extracting(first: count), at: 0, after: start)
      #expect(outcome == .damaged(reason: SnapshotBlock.tooLong))
    }
  }

  @Test("A block of another number or after another checksum doesn't follow", arguments: [(UInt64(1), UInt32(7)), (0, 8)])
  func strayBlocksAreDamaged(number: UInt64, checksum: UInt32) {
    let stray = block("content", number: number, after: checksum)
    let outcome = unsafe SnapshotBlock.read(stray.span.bytes, at: 0, after: start)
    #expect(outcome == .damaged(reason: "a block does not follow the one before it"))
  }

  @Test("A length over the limit of a block is refused before its content is asked for", arguments: [-1, 0, 1])
  func lengthsHaveALimit(beyond: Int) {
    let length = JournalLimits.snapshotBlockBytes + beyond
    var head: [UInt8] = []
    head.append(integer: UInt32(length))
    head.pad(to: SnapshotFormat.blockContentOffset)
    #expect(unsafe SnapshotBlock.wholeLength(head.span.bytes, at: 0) == (beyond > 0 ? nil : length + 20))
    let reason = beyond > 0 ? SnapshotBlock.overLimit : SnapshotBlock.tooLong
    #expect(unsafe SnapshotBlock.read(head.span.bytes, at: 0, after: start) == .damaged(reason: reason))
  }

  /// A block as docs/snapshot-format.md describes it.
  private func block(_ content: String, number: UInt64, after checksum: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(integer: UInt32(content.utf8.count))
    bytes.append(integer: checksum)
    bytes.append(integer: number)
    bytes += content.utf8
    bytes.appendChecksum()
    return bytes
  }
}
