import Platform
import Synchronization

/// Tells when memory that readers may still be looking at can be freed.
///
/// Readers never wait: each marks its turns with the epoch in which it began. What a writer takes out is freed once every reader
/// that is in a turn began it after that.
package final class ReaderEpochs: Sendable {
  /// The mark of one reading thread; zero between its turns.
  package final class Reader: Sendable {
    fileprivate let mark = Atomic<UInt64>(0)
    fileprivate let epochs: ReaderEpochs

    fileprivate init(_ epochs: ReaderEpochs) { self.epochs = epochs }

    /// Begins a turn: what is found in it stays readable until it ends. Turns of one reader don't nest.
    @inline(__always)
    package func begin() {
      // Sequentially consistent, so that no read of the turn moves before the mark.
      mark.store(epochs.current.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
    }

    /// Ends the turn.
    @inline(__always)
    package func end() { mark.store(0, ordering: .releasing) }
  }

  private let current = Atomic<UInt64>(1)
  private let readers = Guarded<[Reader]>([])

  package init() {}

  /// A mark for one more reading thread, which keeps it for as long as it reads.
  package func makeReader() -> Reader {
    let reader = Reader(self)
    readers.withLock { $0.append(reader) }
    return reader
  }

  /// Forgets a mark whose thread reads no more.
  package func retire(_ reader: Reader) { readers.withLock { $0.removeAll { $0 === reader } } }

  /// Begins a new epoch, after something was taken out, and returns its number.
  func advance() -> UInt64 { current.add(1, ordering: .sequentiallyConsistent).newValue }

  /// The epoch that every reader in a turn has seen: what was taken out at or before it can be freed.
  func oldestInUse() -> UInt64 {
    readers.withLock { readers in
      readers.lazy.map { $0.mark.load(ordering: .sequentiallyConsistent) }.filter { $0 != 0 }.min() ?? .max
    }
  }
}
