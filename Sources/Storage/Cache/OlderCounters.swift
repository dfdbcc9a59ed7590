import Platform

/// The memory of older counters, of which any thread takes some: once for a customer's answers, when checks come in a second hour.
@safe final class OlderCounters: @unchecked Sendable {
  // Proof for @unchecked: the pieces are given and taken back under the lock alone.
  private let lock = Lock()
  private var pieces = unsafe PieceArena()

  /// Gives a block older counters, all of them empty, unless it has some.
  func makeRoom(for block: AccessBlock) {
    lock.withLock {
      guard unsafe block.olderCounters == nil else { return }
      let memory = unsafe pieces.allocate(block.olderByteCount)
      unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: block.olderByteCount)
      unsafe block.setOlderCounters(memory)
    }
  }

  /// Takes those of a block back that nobody looks at any more.
  func takeBack(from block: AccessBlock) {
    guard let older = unsafe block.olderCounters else { return }
    lock.withLock { unsafe pieces.free(older, block.olderByteCount) }
  }
}
