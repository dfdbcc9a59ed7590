@testable import Journaling
@testable import Storage

/// Reads the blocks of a snapshot, and the entries in them, after giving them right checksums and numbers.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  var bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  var (chain, offset, entries) = (BlockChain(checksum: 7), 0, BlockReader())
  repair(&bytes, after: chain)
  while offset < count, case .block(let block) = unsafe SnapshotBlock.read(bytes.span.bytes, at: offset, after: chain) {
    precondition(block.content.lowerBound > offset && block.content.upperBound < count, "a block is out of its place")
    _ = try? entries.entries(in: Array(bytes[block.content]))
    chain = block.chain
    offset = block.content.upperBound + SnapshotFormat.checksumBytes
  }
  return 0
}

/// Gives each block, as far as its length is possible, its number and its checksums.
private func repair(_ bytes: inout [UInt8], after chain: BlockChain) {
  var (offset, number, checksum) = (0, UInt64(0), chain.checksum)
  while offset + SnapshotFormat.blockContentOffset <= bytes.count {
    let length = unsafe SnapshotBlock.wholeLength(bytes.span.bytes, at: offset)
    guard let length, length <= bytes.count - offset else { return }
    let end = offset + length - SnapshotFormat.checksumBytes
    store(checksum, in: &bytes, at: offset + SnapshotFormat.blockPreviousChecksumOffset)
    store(number, in: &bytes, at: offset + SnapshotFormat.blockNumberOffset)
    checksum = unsafe CRC32C.checksum(bytes.span.bytes.extracting(offset..<end))
    store(checksum, in: &bytes, at: end)
    (offset, number) = (offset + length, number + 1)
  }
}
