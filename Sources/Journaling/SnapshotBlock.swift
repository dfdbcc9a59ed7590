/// What the next block of a snapshot continues.
struct BlockChain: Equatable {
  /// The checksum of the block before, or of the header where there is none.
  var checksum: UInt32
  /// How many blocks came before.
  var blockCount: UInt64 = 0
  /// How many bytes of content they had together.
  var contentBytes: UInt64 = 0
}

/// What stands at a place where a block must begin.
enum BlockOutcome: Equatable {
  case block(SnapshotBlock)
  case damaged(reason: String)
}

/// One block of a snapshot that was found whole and in its place. See docs/snapshot-format.md.
struct SnapshotBlock: Equatable {
  /// Where its content stands; what follows the checksum behind that is the next block.
  let content: Range<Int>
  /// The chain that the next block continues.
  let chain: BlockChain

  /// The bytes of the whole block whose first 16 bytes stand at `offset`, or nil when its content is over the limit.
  static func wholeLength(_ bytes: RawSpan, at offset: Int) -> Int? {
    let length = Int(bytes.integer(at: offset + SnapshotFormat.blockLengthOffset, as: UInt32.self))
    guard length <= JournalLimits.snapshotBlockBytes else { return nil }
    return SnapshotFormat.blockContentOffset + length + SnapshotFormat.checksumBytes
  }

  /// What stands at `offset`, which is at most the span's count, where a block that continues the chain is expected; total over any
  /// bytes.
  static func read(_ bytes: RawSpan, at offset: Int, after chain: BlockChain) -> BlockOutcome {
    let available = bytes.byteCount - offset
    guard available >= SnapshotFormat.blockContentOffset else { return .damaged(reason: tooLong) }
    guard let length = wholeLength(bytes, at: offset) else { return .damaged(reason: overLimit) }
    guard available >= length else { return .damaged(reason: tooLong) }
    let block = bytes.extracting(offset..<(offset + length))
    let end = length - SnapshotFormat.checksumBytes
    let checksum = block.integer(at: end, as: UInt32.self)
    guard CRC32C.checksum(block.extracting(first: end)) == checksum else {
      return .damaged(reason: "a block does not match its checksum")
    }
    guard block.integer(at: SnapshotFormat.blockPreviousChecksumOffset, as: UInt32.self) == chain.checksum,
      block.integer(at: SnapshotFormat.blockNumberOffset, as: UInt64.self) == chain.blockCount
    else { return .damaged(reason: "a block does not follow the one before it") }
    let content = (offset + SnapshotFormat.blockContentOffset)..<(offset + end)
    let next = BlockChain(
      checksum: checksum, blockCount: chain.blockCount + 1, contentBytes: chain.contentBytes + UInt64(content.count))
    return .block(SnapshotBlock(content: content, chain: next))
  }

  /// Said of a block that reaches over what there is.
  static let tooLong = "a block is longer than what is left"
  /// Said of a block whose content is longer than a block's may be.
  static let overLimit = "a block is over its limit"
}
