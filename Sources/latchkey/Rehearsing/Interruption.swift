import Glibc
import Platform
import Synchronization

/// Whether SIGINT or SIGTERM came, for work that ends what it began before it stops.
final class Interruption: Sendable {
  private let flag = Atomic(false)

  /// Begins to hear the two signals. Before any other thread starts.
  init() throws(SystemError) {
    try Signals.deliver([SIGINT, SIGTERM]) { [self] _ in flag.store(true, ordering: .relaxed) }
  }

  var hasCome: Bool { flag.load(ordering: .relaxed) }
}
