import LatchkeyWire

/// All calls and connections of a client. Events go in; orders for the thread and deliveries to the callers come out.
///
/// It does no input or output, and reads no clock. One lock guards it.
struct Switchboard: Sendable {
  private let options: Options
  private var line: Line
  private var calls: [CallID: Call] = [:]
  private var waiting = WaitingCalls()
  /// The connection that is up, and those that are retired.
  private var conversations: [ConnectionID: Conversation] = [:]
  /// No call has an earlier deadline.
  private var earliestDeadline: ContinuousClock.Instant?
  /// Connections that the thread still has to let go of.
  private var hangUps: [ConnectionID] = []
  private var deliveries: [(CallID, Delivery)] = []

  init(_ options: Options) {
    self.options = options
    line = Line(options)
  }

  /// Takes what there is to tell the callers.
  mutating func takeDeliveries() -> [(CallID, Delivery)] {
    defer { deliveries = [] }
    return deliveries
  }
}

// MARK: - What callers do

extension Switchboard {
  /// Takes a call, which is sent at once if there is room.
  mutating func submit(_ id: CallID, _ call: Call, at now: ContinuousClock.Instant) {
    calls[id] = call
    guard !line.isClosed else { return finish(id, .closed()) }
    guard waiting.count < options.waitingCalls else {
      return finish(id, LatchkeyError(.resourceExhausted, "\(options.waitingCalls) calls wait for the server already"))
    }
    if let deadline = call.deadline {
      guard deadline > now else { return finish(id, .deadlineExceeded("the deadline had passed before the call")) }
      earliestDeadline = earliestDeadline.map { min($0, deadline) } ?? deadline
    }
    waiting.append(id)
    sendWaiting(at: now)
  }

  /// Gives up a call whose caller's task was cancelled.
  mutating func cancel(_ id: CallID) {
    guard let call = calls[id] else { return }
    abandon(id, .cancelled(outcomeIsUnknown: call.outcomeIsUnknown))
  }

  /// Ends everything: the calls fail, and so does each later one.
  mutating func close() {
    line.close()
    for (id, call) in calls { finish(id, .closed(outcomeIsUnknown: call.outcomeIsUnknown)) }
    waiting = WaitingCalls()
    conversations = [:]
  }
}

// MARK: - What happens on connections

extension Switchboard {
  /// A connection stands: Hello goes out, and what waits behind it.
  mutating func connected(_ connection: ConnectionID, at now: ContinuousClock.Instant) {
    guard line.connected(connection) else { return hangUps.append(connection) }
    conversations[connection] = Conversation(options.hello)
    sendWaiting(at: now)
  }

  /// Frames came in.
  ///
  /// - Parameter breach: what the server did wrong behind them.
  mutating func received(
    _ frames: [ReceivedFrame], then breach: LatchkeyError?, on connection: ConnectionID, at now: ContinuousClock.Instant
  ) {
    if !frames.isEmpty { line.heard() }
    do throws(LatchkeyError) {
      for frame in frames { try receive(frame, on: connection) }
      if let breach { throw breach }
      tidy(connection, at: now)
    } catch {
      fail(connection, error, at: now)
    }
    sendWaiting(at: now)
  }

  private mutating func receive(_ frame: ReceivedFrame, on connection: ConnectionID) throws(LatchkeyError) {
    switch try conversations[connection]?.receive(frame) ?? .nothing {
    case .nothing: break
    case .message(let id, let bytes): deliver(.message(bytes), to: id)
    case .end(let id, let ending): finish(id, .success(ending))
    case .unanswered(let ids): putBack(ids)
    }
  }

  /// A connection ended, or none could be made.
  ///
  /// Calls of which nothing was sent wait for the next connection, and so do those that only read. The outcome of the others
  /// isn't known.
  ///
  /// - Parameter bytesWritten: how many bytes the system took of those that it was given for the connection.
  mutating func lost(_ connection: ConnectionID, _ reason: String, bytesWritten: Int, at now: ContinuousClock.Instant) {
    line.lost(connection, reason, at: now)
    let left = conversations.removeValue(forKey: connection)?.end(bytesWritten: bytesWritten)
    let sent = left?.sent ?? []
    putBack(sent.filter(mayRepeat) + (left?.unsent ?? []))
    for id in sent where calls[id]?.place != nil { finish(id, lossError(id, reason)) }
    if !options.waitsForServer, line.isDown { failWaiting() }
  }

  /// The server broke the protocol: every call on the connection fails, whatever it asked.
  private mutating func fail(_ connection: ConnectionID, _ error: LatchkeyError, at now: ContinuousClock.Instant) {
    for id in conversations.removeValue(forKey: connection)?.end(bytesWritten: .max).sent ?? [] {
      let isUnknown = calls[id]?.outcomeIsUnknown ?? false
      finish(id, LatchkeyError(error.code, error.message, outcomeIsUnknown: isUnknown))
    }
    hangUps.append(connection)
    lost(connection, error.message, bytesWritten: .max, at: now)
  }

  private func mayRepeat(_ id: CallID) -> Bool {
    calls[id].map { $0.question.readsOnly && $0.sends < Call.sendLimit } ?? false
  }

  private func lossError(_ id: CallID, _ reason: String) -> LatchkeyError {
    guard let call = calls[id], call.question.readsOnly else { return .outcomeUnknown(reason) }
    return LatchkeyError(.unavailable, "\(reason), \(call.sends) times in a row")
  }

  private mutating func failWaiting() {
    while let id = waiting.popFirst() { finish(id, LatchkeyError(.unavailable, line.lastFailure)) }
  }
}

// MARK: - What the thread does next

extension Switchboard {
  /// What the thread is to do.
  struct Orders {
    var connect: ConnectionID?
    var hangUps: [ConnectionID] = []
    var outputs: [(connection: ConnectionID, bytes: [UInt8])] = []
    /// Whether the client is closed and the thread ends.
    var isOver = false

    var isEmpty: Bool { connect == nil && hangUps.isEmpty && outputs.isEmpty && !isOver }
  }

  /// Lets time pass, and gives the thread what there is to do.
  ///
  /// - Parameter blocked: connections that take no bytes now.
  mutating func takeOrders(blocked: [ConnectionID], at now: ContinuousClock.Instant) -> Orders {
    expire(at: now)
    var orders = Orders()
    if let connection = line.overdue(at: now) {
      hangUps.append(connection)
      lost(connection, "connecting took too long", bytesWritten: 0, at: now)
    }
    if !waiting.isEmpty { orders.connect = line.dial(at: now) }
    for id in conversations.keys where !blocked.contains(id) {
      guard let bytes = conversations[id]?.takeOutput(), !bytes.isEmpty else { continue }
      orders.outputs.append((id, bytes))
    }
    if !orders.outputs.isEmpty { sendWaiting(at: now) }
    swap(&orders.hangUps, &hangUps)
    orders.isOver = line.isClosed
    return orders
  }

  /// The next moment at which there is something to do though nothing happens; nil: none.
  var nextMoment: ContinuousClock.Instant? {
    [line.nextMoment(isWanted: !waiting.isEmpty), earliestDeadline].compactMap(\.self).min()
  }

  /// Fails the calls whose deadline has passed. It looks at every call, but only when the earliest deadline passes.
  private mutating func expire(at now: ContinuousClock.Instant) {
    guard let earliest = earliestDeadline, earliest <= now else { return }
    for (id, call) in calls {
      if let deadline = call.deadline, deadline <= now { abandon(id, expiry(of: call)) }
    }
    earliestDeadline = calls.values.compactMap(\.deadline).min()
  }

  private func expiry(of call: Call) -> LatchkeyError {
    if call.place != nil {
      return .deadlineExceeded("the server didn't answer in time", outcomeIsUnknown: call.outcomeIsUnknown)
    }
    if line.connection != nil { return .deadlineExceeded("no place on the connection became free in time") }
    return LatchkeyError(.unavailable, "no connection within the deadline: \(line.lastFailure)")
  }
}

// MARK: - Moving calls

extension Switchboard {
  /// Sends calls that wait, first come first served, as far as there is room.
  private mutating func sendWaiting(at now: ContinuousClock.Instant) {
    guard let connection = line.connection else { return }
    while conversations[connection]?.hasRoom == true, let id = waiting.popFirst() {
      if let call = calls[id] { send(id, call, on: connection, at: now) }
    }
    tidy(connection, at: now)
  }

  private mutating func send(_ id: CallID, _ call: Call, on connection: ConnectionID, at now: ContinuousClock.Instant) {
    let timeout = call.deadline.map { max(1, now.duration(to: $0).nanoseconds) } ?? 0  // 0 would be none
    do throws(FrameViolation) {
      guard let streamID = try conversations[connection]?.send(call.question, timeoutNanoseconds: timeout, for: id)
      else { return }
      calls[id]?.place = Call.Place(connection: connection, streamID: streamID)
      calls[id]?.sends += 1
    } catch {
      finish(id, LatchkeyError(.resourceExhausted, error.status.message))
    }
  }

  /// Puts calls back in front of those that wait.
  private mutating func putBack(_ ids: [CallID]) {
    for id in ids { calls[id]?.place = nil }
    waiting.prepend(ids)
  }

  /// Lets go of a connection that takes no new requests, and closes it once nothing is left to say.
  private mutating func tidy(_ connection: ConnectionID, at now: ContinuousClock.Instant) {
    guard let conversation = conversations[connection], conversation.isRetired else { return }
    line.retire(connection, at: now)
    if conversation.isOver {
      conversations[connection] = nil
      hangUps.append(connection)
    }
  }

  private mutating func abandon(_ id: CallID, _ error: LatchkeyError) {
    if let place = calls[id]?.place { conversations[place.connection]?.abandon(place.streamID) }
    finish(id, error)
    let left = calls
    if waiting.count > 2 * left.count + 64 { waiting.removeAll { left[$0] == nil } }
  }

  private mutating func finish(_ id: CallID, _ error: LatchkeyError) { finish(id, .failure(error)) }

  private mutating func finish(_ id: CallID, _ result: Result<Ending, LatchkeyError>) {
    deliver(.end(result), to: id)
    calls[id] = nil
  }

  private mutating func deliver(_ content: Delivery.Content, to id: CallID) {
    guard let call = calls[id] else { return }
    deliveries.append((id, Delivery(receiver: call.receiver, content: content)))
  }
}
