import Dispatch
import LatchkeyWire
import Synchronization

/// A queue on which only so many calls may wait or be under way: one after the other, or side by side.
final class BoundedQueue: Sendable {
  private let queue: DispatchQueue
  private let limit: Int
  private let waiting = Atomic(0)

  init(_ name: String, limit: Int, runsSideBySide: Bool = false) {
    queue = DispatchQueue(label: "latchkey.\(name)", attributes: runsSideBySide ? .concurrent : [])
    self.limit = limit
  }

  /// Runs the body for a call in its turn, unless its deadline passes or it is cancelled meanwhile.
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
