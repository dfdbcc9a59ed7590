import Platform

/// A stored snapshot that is being read, block by block, each proven before it is handed out.
package struct SnapshotReader: ~Copyable {
  private let file: File
  private let footer: SnapshotFooter
  private let footerOffset: Int
  private var chain: BlockChain
  private var offset = HeaderFormat.byteCount

  /// Opens a snapshot that stands alone, of whichever store and revision, such as a backup; checks its header and footer.
  package init(standingAlone path: String) throws(JournalError) { try self.init(path: path, store: nil, revision: nil) }

  /// Opens a snapshot, of this store and revision where they are given, and checks its header and footer.
  init(path: String, store: StoreIdentity?, revision: UInt64?) throws(JournalError) {
    let file = try reading { () throws(SystemError) in try File(path, for: .read) }
    let end = try reading { () throws(SystemError) in try file.size() } - SnapshotFormat.footerBytes
    let head = try reading { () throws(SystemError) in try file.read(HeaderFormat.byteCount, at: 0) }
    let header = try HeaderBlock.decode(unsafe head.span.bytes, kind: .snapshot, store: store, file: path)
    guard end >= HeaderFormat.byteCount else { throw .damaged(file: path, offset: end, reason: "the snapshot has no footer") }
    let foot = try reading { () throws(SystemError) in try file.read(SnapshotFormat.footerBytes, at: end) }
    guard let footer = SnapshotFooter.decode(unsafe foot.span.bytes) else {
      throw .damaged(file: path, offset: end, reason: "the snapshot does not end in its footer")
    }
    let stated = header.fields[SnapshotFormat.revisionField]
    guard stated == footer.revision, revision == nil || revision == stated, stated < .max else {
      throw .damaged(file: path, offset: end, reason: "the snapshot is of another revision than it should be")
    }
    self.file = file
    self.footer = footer
    footerOffset = end
    chain = BlockChain(checksum: HeaderBlock.checksum(in: unsafe head.span.bytes))
  }

  /// The revision as of which the snapshot was taken.
  package var revision: UInt64 { footer.revision }
  /// The digest of the state, as the writer gave it.
  package var digest: UInt64 { footer.digest }
  /// The number of blocks.
  package var blockCount: UInt64 { footer.blockCount }
  /// The number of bytes in all blocks.
  package var contentBytes: UInt64 { footer.contentBytes }

  /// The content of the next block, or nil after the last one.
  package mutating func next() throws(JournalError) -> [UInt8]? {
    if offset == footerOffset {
      try checkTotals()
      return nil
    }
    let head = try read(SnapshotFormat.blockContentOffset)
    guard let length = SnapshotBlock.wholeLength(unsafe head.span.bytes, at: 0) else { throw damaged(SnapshotBlock.overLimit) }
    let stored = try read(length)
    switch unsafe SnapshotBlock.read(stored.span.bytes, at: 0, after: chain) {
    case .damaged(let reason): throw damaged(reason)
    case .block(let block):
      chain = block.chain
      offset += length
      return Array(stored[block.content])
    }
  }

  /// Reads what is left, only to check it.
  mutating func readToEnd() throws(JournalError) {
    while try next() != nil {}
  }

  private func checkTotals() throws(JournalError) {
    guard chain.blockCount == blockCount, chain.contentBytes == contentBytes, chain.checksum == footer.lastChecksum else {
      throw damaged("the blocks do not agree with the footer")
    }
  }

  private func read(_ count: Int) throws(JournalError) -> [UInt8] {
    guard count <= footerOffset - offset else { throw damaged(SnapshotBlock.tooLong) }
    let bytes = try reading { () throws(SystemError) in try file.read(count, at: offset) }
    guard bytes.count == count else { throw damaged("the file became shorter while it was read") }
    return bytes
  }

  private func damaged(_ reason: String) -> JournalError { .damaged(file: file.path, offset: offset, reason: reason) }
}
