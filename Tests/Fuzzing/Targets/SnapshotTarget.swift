import Glibc
import Platform

@testable import Journaling
@testable import Storage

/// A file in memory, of this process alone.
private let path = "/dev/shm/latchkey-fuzzed-snapshot-\(getpid())"
private let store = StoreIdentity(high: 1, low: 2)

/// Reads a file of blocks as recovery does, after giving it a header, right checksums and a footer, and the entries in them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  let content = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  guard let file = try? File(path, for: .create), (try? file.write(whole(content).span, at: 0)) != nil,
    var reader = try? SnapshotReader(path: path, store: store, revision: 9)
  else { return 0 }
  var blocks = BlockReader()
  while let block = try? reader.next() { _ = try? blocks.entries(in: block) }
  return 0
}

/// The content between a header and a footer, each block with the checksums that it should have.
private func whole(_ content: [UInt8]) -> [UInt8] {
  var file = HeaderBlock(kind: .snapshot, store: store, fields: [9, 1]).encoded()
  var checksum = unsafe HeaderBlock.checksum(in: file.span.bytes)
  var (offset, number, total) = (0, UInt64(0), UInt64(0))
  while offset + SnapshotFormat.blockContentOffset + SnapshotFormat.checksumBytes <= content.count {
    let length = unsafe Int(content.span.bytes.integer(at: offset, as: UInt32.self))
    let end = offset + SnapshotFormat.blockContentOffset + length + SnapshotFormat.checksumBytes
    guard end <= content.count else { break }
    var block: [UInt8] = []
    block.append(integer: UInt32(length))
    block.append(integer: checksum)
    block.append(integer: number)
    block += content[(offset + SnapshotFormat.blockContentOffset)..<(end - SnapshotFormat.checksumBytes)]
    checksum = block.appendChecksum()
    file += block
    (offset, number, total) = (end, number + 1, total + UInt64(length))
  }
  let footer = SnapshotFooter(blockCount: number, contentBytes: total, digest: 0, revision: 9, lastChecksum: checksum)
  return file + content[offset...] + footer.encoded()
}
