import Platform

/// A snapshot that is being written, block by block.
package struct SnapshotWriter: ~Copyable {
  /// How many bytes may wait in the page cache: a sync of the journal waits for those that are being written. With eight times as
  /// many, recordings beside snapshots had a p99.9 of 200 to 380 ms instead of 60.
  private static let unsyncedBytesLimit = 1 << 20

  private let file: File
  private let revision: UInt64
  private var offset = 0
  private var buffer: [UInt8] = []
  private var syncedOffset = 0
  private var checksum: UInt32
  private var blockCount: UInt64 = 0
  private var contentBytes: UInt64 = 0

  init(path: String, store: StoreIdentity, revision: UInt64, salt: UInt64 = .random(in: 1 ... .max)) throws(SystemError) {
    file = try File(path, for: .create)
    self.revision = revision
    let header = HeaderBlock(kind: .snapshot, store: store, fields: [revision, salt]).encoded()
    checksum = HeaderBlock.checksum(in: unsafe header.span.bytes)
    buffer = header
  }

  /// Appends one block of at most `JournalLimits.snapshotBlockBytes`; `SnapshotReader` gives back the same blocks.
  package mutating func write(_ content: Span<UInt8>) throws(JournalError) {
    guard content.count <= JournalLimits.snapshotBlockBytes else {
      throw .tooLarge(what: "a snapshot block", bytes: content.count, limit: JournalLimits.snapshotBlockBytes)
    }
    var block: [UInt8] = []
    block.reserveCapacity(SnapshotFormat.blockContentOffset + content.count + SnapshotFormat.checksumBytes)
    block.append(integer: UInt32(content.count))
    block.append(integer: checksum)
    block.append(integer: blockCount)
    unsafe content.withUnsafeBufferPointer { unsafe block.append(contentsOf: $0) }
    checksum = block.appendChecksum()
    blockCount += 1
    contentBytes += UInt64(content.count)
    try append(block)
  }

  /// Appends one block, as above.
  package mutating func write(_ content: [UInt8]) throws(JournalError) { try write(content.span) }

  /// Writes the footer, syncs, and returns the length of the file.
  consuming func finish(digest: UInt64) throws(JournalError) -> UInt64 {
    let footer = SnapshotFooter(
      blockCount: blockCount, contentBytes: contentBytes, digest: digest, revision: revision, lastChecksum: checksum)
    try append(footer.encoded())
    try flush()
    try SnapshotDirectory.storing { () throws(SystemError) in
      try file.synchronize()
      // What is read back to be verified shall come from the disk.
      try file.dropCachedPages()
    }
    return UInt64(offset)
  }

  private mutating func append(_ bytes: [UInt8]) throws(JournalError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= JournalLimits.snapshotBlockBytes { try flush() }
  }

  private mutating func flush() throws(JournalError) {
    try SnapshotDirectory.storing { () throws(SystemError) in
      try file.write(buffer.span, at: offset)
      offset += buffer.count
      buffer.removeAll(keepingCapacity: true)
      if offset - syncedOffset >= Self.unsyncedBytesLimit {
        try file.synchronizeData()
        syncedOffset = offset
      }
    }
  }
}
