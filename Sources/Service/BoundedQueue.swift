import LatchkeyWire
import Platform

/// A queue on which only so many calls may wait or be under way: one after the other, or as many side by side as it has threads.
///
/// The threads are its own, so that the system can put them behind others: they come as calls come, and end when none came for a
/// second.
final class BoundedQueue: Sendable {
  private typealias Job = @Sendable () -> Void

  private struct State {
    var waiting: [Job] = []
    var underWay = 0
    var threads = 0
    /// How many of the threads wait for a job.
    var idle = 0
  }

  private let name: String
  private let limit: Int
  private let threadLimit: Int
  private let nice: Int32
  private let state = AwaitedValue(State())

  private static let idleNanoseconds: UInt64 = 1_000_000_000

  /// Makes a queue without a thread.
  ///
  /// - Parameter nice: see `Precedence`.
  init(_ name: String, limit: Int, threads: Int = 1, nice: Int32 = 0) {
    (self.name, self.limit, threadLimit, self.nice) = (name, limit, threads, nice)
  }

  /// Runs the body for a call in its turn, unless its deadline passes or it is cancelled meanwhile.
  func run(_ call: Call, _ body: @escaping @Sendable (Call) -> Void) {
    let job: Job = {
      if call.reply.isCancelled {
        call.fail(Status(.cancelled, "the client cancelled the request"))
      } else if call.isPastDeadline {
        call.fail(Status(.deadlineExceeded, "the deadline passed before the work began; nothing was done"))
      } else {
        body(call)
      }
    }
    guard let needsThread = add(job) else {
      return call.fail(.overloaded("too many requests of this kind wait", retryAfterMilliseconds: 100))
    }
    if needsThread { startThread() }
  }

  /// Lets a job wait, and says whether another thread is to come for it; nil where too many wait.
  private func add(_ job: @escaping Job) -> Bool? {
    state.update { state in
      guard state.waiting.count + state.underWay < limit else { return nil }
      state.waiting.append(job)
      guard state.waiting.count > state.idle, state.threads < threadLimit else { return false }
      state.threads += 1
      return true
    }
  }

  private func startThread() {
    do throws(SystemError) {
      _ = try Thread(named: name, nice: nice) { [state] in
        while let job = BoundedQueue.next(of: state) {
          job()
          state.update { $0.underWay -= 1 }
        }
      }
    } catch {
      // Those that are there see to the job; without any, the next call tries again.
      state.update { $0.threads -= 1 }
    }
  }

  /// Waits for a job; nil where none came, and the thread is to end.
  private static func next(of state: AwaitedValue<State>) -> Job? {
    func take(_ state: inout State) -> Job? {
      guard !state.waiting.isEmpty else { return nil }
      state.idle -= 1
      state.underWay += 1
      return state.waiting.removeFirst()
    }
    state.update { $0.idle += 1 }
    let job = state.wait(untilNanoseconds: Clock.monotonicNanoseconds() + idleNanoseconds) { take(&$0) }
    if let job { return job }
    return state.update { state in
      if let job = take(&state) { return job }
      state.idle -= 1
      state.threads -= 1
      return nil
    }
  }
}
