import Glibc
import Platform

/// What signals ask of a server, in their order.
struct Orders: Sendable {
  enum Order: Sendable { case reload, end }

  private struct State {
    var waiting: [Order] = []
    /// Until then a signal that ends the process does so at once: nothing has been promised to anyone.
    var hasBegun = false
  }

  private let state = AwaitedValue(State())

  /// Begins to hear SIGTERM, SIGINT and SIGHUP.
  init() throws(SystemError) {
    Signals.ignoreBrokenPipes()
    try Signals.deliver([SIGTERM, SIGINT, SIGHUP]) { [state] number in
      let endsNow = state.update { state in
        state.waiting.append(number == SIGHUP ? .reload : .end)
        return number != SIGHUP && !state.hasBegun
      }
      if endsNow { exit(ExitStatus.success.rawValue) }
    }
  }

  /// Says that the server is ready to follow orders.
  func begin() { state.update { $0.hasBegun = true } }

  /// Waits for the next order.
  func next() -> Order { state.wait { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() } }
}
