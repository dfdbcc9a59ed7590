import LatchkeyWire

/// The one thing that callers and the connection's thread share: the switchboard behind its lock, and the thread's bell.
final class Engine: Sendable {
  private struct State {
    var switchboard: Switchboard
    /// Whether the thread waits, so that it must be woken to see what is new.
    var threadWaits = false
    var lastCall: CallID = 0
  }

  private let state: Guarded<State>
  private let bell: Bell
  private let clock = ContinuousClock()

  /// Makes the engine and starts its thread, which ends after ``close()``.
  init(_ address: SocketAddress, _ options: Options) throws(SystemFailure) {
    bell = try Bell()
    state = Guarded(State(switchboard: Switchboard(options)))
    let poller = try Poller(bell)
    try startThread { [self] in
      var loop = ConnectionLoop(engine: self, address: address, poller: poller)
      loop.run()
    }
  }

  /// Asks one question and awaits the data of the response frame.
  func answer(
    to question: Question, before deadline: ContinuousClock.Instant?
  ) async -> Result<[UInt8], LatchkeyError> {
    let id = newCallID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        submit(id, Call(question: question, deadline: deadline, receiver: .one(continuation)))
        // A cancellation before the call was there to cancel has found nothing.
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Asks a question whose answer is a stream; gives it up when its reader is gone.
  func stream(
    _ question: Question, before deadline: ContinuousClock.Instant?, bufferLimit: Int = MessageStream.bufferLimit
  ) -> (stream: MessageStream, messages: AsyncStream<[UInt8]>) {
    let (id, ends) = (newCallID(), MessageStream.make(bufferLimit: bufferLimit))
    ends.stream.onAbandon { [weak self] in self?.cancel(id) }
    submit(id, Call(question: question, deadline: deadline, receiver: .many(ends.stream)))
    return ends
  }

  /// Fails all calls, and ends the connections and the thread.
  func close() { update { board, _ in board.close() } }

  private func newCallID() -> CallID {
    state.withLock { state in
      state.lastCall += 1
      return state.lastCall
    }
  }

  private func submit(_ id: CallID, _ call: Call) { update { board, now in board.submit(id, call, at: now) } }

  private func cancel(_ id: CallID) { update { board, _ in board.cancel(id) } }

  /// Changes the switchboard under the lock, then wakes the thread if it waits, and tells the callers what came of it.
  func update(_ change: (inout Switchboard, ContinuousClock.Instant) -> Void) {
    let now = clock.now
    let (deliveries, threadWaited) = state.withLock { state in
      change(&state.switchboard, now)
      defer { state.threadWaits = false }
      return (state.switchboard.takeDeliveries(), state.threadWaits)
    }
    if threadWaited { bell.ring() }
    deliver(deliveries)
  }

  /// Gives the thread its orders, or how long it may wait for some.
  func nextStep(blocked: [ConnectionID]) -> Step {
    let now = clock.now
    // Looking and going to wait are one step under the lock: what comes after it rings the bell.
    let (step, deliveries) = state.withLock { state -> (Step, [(CallID, Delivery)]) in
      let orders = state.switchboard.takeOrders(blocked: blocked, at: now)
      state.threadWaits = orders.isEmpty
      let pause = state.switchboard.nextMoment.map { now.duration(to: $0) }
      return (orders.isEmpty ? .wait(pause) : .act(orders), state.switchboard.takeDeliveries())
    }
    deliver(deliveries)
    return step
  }

  /// What the thread does next.
  enum Step {
    case act(Switchboard.Orders)
    /// Waits for sockets and the bell, and at most this long; nil: endless.
    case wait(Duration?)
  }

  private func deliver(_ deliveries: [(CallID, Delivery)]) {
    for (id, delivery) in deliveries where !delivery.deliver() { cancel(id) }
  }
}
