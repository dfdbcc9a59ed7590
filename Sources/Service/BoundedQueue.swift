import Dispatch
import LatchkeyWire
import Synchronization

/// A serial queue on which only so many calls may wait.
final class BoundedQueue: Sendable {
  private let queue: DispatchQueue
  private let limit: Int
  private let waiting = Atomic(0)

  init(_ name: String, limit: Int) {
    queue = DispatchQueue(label: "latchkey.\(name)")
    self.limit = limit
  }

  /// Runs the body for a call once those before it are done, unless its deadline passes or it is cancelled meanwhile.
  func run<Reply>(_ call: Call<Reply>, _ body: @escaping @Sendable (Call<Reply>) -> Void) {
    guard waiting.add(1, ordering: .relaxed).newValue <= limit else {
      waiting.subtract(1, ordering: .relaxed)
      call.fail(.overloaded("too many requests of this kind wait", retryAfterMilliseconds: 100))
      return
    }
    queue.async {
      defer { self.waiting.subtract(1, ordering: .relaxed) }
      if call.reply.isCancelled {
        call.fail(Status(.cancelled, "the client cancelled the request"))
      } else if call.isPastDeadline {
        call.fail(Status(.deadlineExceeded, "the deadline passed before the work began; nothing was done"))
      } else {
        body(call)
      }
    }
  }
}
