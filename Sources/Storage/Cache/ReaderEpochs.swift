import Platform
import Synchronization

/// Tells when memory that readers may still be looking at can be freed.
///
/// Readers never wait: each marks its turns with the epoch in which it began. What a writer takes out is freed once every reader
/// that is in a turn began it after that.
///
/// Proof. A reader stores its mark, passes a fence, and looks; the writer takes out, begins a new epoch, passes a fence, and looks
/// at the marks. One fence comes first. If it is the writer's, the reader sees that the thing is gone. If it is the reader's, the
/// writer sees the mark; and a mark of the new epoch, whose number the reader acquired, means that the reader sees that the thing
/// is gone, too.
package final class ReaderEpochs: Sendable {
  /// The mark of one reading thread; zero between its turns.
  package final class Reader: Sendable {
    fileprivate let mark = Atomic<UInt64>(0)
    private let epoch: Epoch

    fileprivate init(_ epoch: Epoch) { self.epoch = epoch }

    /// Begins a turn: what is found in it stays readable until it ends. Turns of one reader don't nest.
    @inline(__always)
    package func begin() {
      mark.store(epoch.current.load(ordering: .acquiring), ordering: .releasing)
      atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Ends the turn.
    @inline(__always)
    package func end() { mark.store(0, ordering: .releasing) }
  }

  /// The epoch that it is now: of its own, so that readers and those who know them don't keep each other for ever.
  fileprivate final class Epoch: Sendable {
    let current = Atomic<UInt64>(1)
  }

  private let epoch = Epoch()
  private let readers = Guarded<[Reader]>([])

  package init() {}

  /// A mark for one more reading thread, which keeps it for as long as it reads.
  package func makeReader() -> Reader {
    let reader = Reader(epoch)
    readers.withLock { $0.append(reader) }
    return reader
  }

  /// Forgets a mark whose thread reads no more.
  package func retire(_ reader: Reader) { readers.withLock { $0.removeAll { $0 === reader } } }

  /// Begins a new epoch, after something was taken out, and returns its number.
  func advance() -> UInt64 { epoch.current.add(1, ordering: .acquiringAndReleasing).newValue }

  /// The epoch that every reader in a turn has seen: what was taken out at or before it can be freed.
  func oldestInUse() -> UInt64 {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return readers.withLock { readers in
      readers.lazy.map { $0.mark.load(ordering: .acquiring) }.filter { $0 != 0 }.min() ?? .max
    }
  }
}
