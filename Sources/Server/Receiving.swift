import LatchkeyWire
import Platform

// From the socket to the handler.
extension EventLoop {
  /// Reads once from a connection and has answered what is complete.
  mutating func receive(from connection: Connection) {
    if connection.phase == .parting { return discard(from: connection) }
    guard connection.phase == .serving, !connection.isPaused else { return }
    switch connection.input.isEmpty ? receiveAll(from: connection) : receiveRest(from: connection) {
    case .moved: break
    case .wouldBlock: return
    case .ended: finish(connection)
    case .broken: return close(connection)
    }
    settle(connection)
  }

  /// Reads into the memory that all connections share, and keeps only the beginning of a frame that isn't complete.
  private mutating func receiveAll(from connection: Connection) -> Transfer {
    var bytes = ByteQueue()
    swap(&bytes, &arrivals)
    defer { swap(&bytes, &arrivals) }
    bytes.removeAll()
    let transfer = bytes.read(from: connection.socket, atMost: ServerLimits.bytesPerRead)
    guard case .moved = transfer else { return transfer }
    bytes.removeFirst(bytes.withBytes { take($0, of: connection) })
    if !bytes.isEmpty { bytes.withBytes { connection.input.append($0) } }
    setFrameDeadline(of: connection, hasMoved: true)
    return transfer
  }

  /// Reads on where the beginning of a frame lies; its memory grows with what has come, never with what is announced.
  private mutating func receiveRest(from connection: Connection) -> Transfer {
    let room = min(max(connection.input.count, 4_096), ServerLimits.bytesPerRead)
    let transfer = connection.input.read(from: connection.socket, atMost: room)
    if case .moved = transfer { takeInput(of: connection) }
    return transfer
  }

  /// Has answered what is complete of the bytes that a connection keeps.
  mutating func takeInput(of connection: Connection) {
    let taken = connection.input.withBytes { take($0, of: connection) }
    connection.input.removeFirst(taken)
    connection.input.release()
    setFrameDeadline(of: connection, hasMoved: taken > 0)
  }

  /// Has answered the complete frames of some bytes, and returns how many bytes these were.
  private mutating func take(_ input: RawSpan, of connection: Connection) -> Int {
    var offset = 0
    while connection.phase == .serving, !connection.isPaused {
      let before = connection.streamOrder
      let halt = scan(input, from: offset, of: connection)
      offset = scanner.offset
      if let left = answerRequests(in: input, of: connection) {
        (offset, connection.streamOrder) = scanner.rewound(before: left, order: before)
        continue
      }
      switch halt {
      case .incomplete: return offset
      case .answersFirst: continue
      case .cancel(let streamID): markCancelled(streamID, of: connection)
      case .violation(let violation): refuse(violation, of: connection)
      }
    }
    return offset
  }

  /// True when one more request fits under the limit; requests are refused otherwise.
  private func hasRoom(_ connection: Connection) -> Bool {
    !isDraining && connection.openStreams.count < limits.requestsInFlight
  }

  private mutating func scan(_ input: RawSpan, from offset: Int, of connection: Connection) -> FrameScanner.Halt {
    let room = hasRoom(connection) ? limits.requestsInFlight - connection.openStreams.count : .max
    let rules = FrameScanner.Rules(
      frameBytes: limits.frameBytes(for: connection.facts), takesCancel: connection.facts.usesControlFrames,
      room: min(room, ServerLimits.requestsPerTurn))
    return scanner.scan(input, from: offset, order: &connection.streamOrder, by: rules)
  }

  /// Has the requests of the last scan answered, or refuses them; returns the index of the first that was left for later.
  private mutating func answerRequests(in input: RawSpan, of connection: Connection) -> Int? {
    if scanner.requests.isEmpty { return nil }
    guard hasRoom(connection) else {
      refuseRequests(of: connection)
      return nil
    }
    turn.begin(
      connection.key, connection.facts, bytesWaiting: connection.output.count,
      outputLimit: limits.outputBytes(for: connection.facts))
    let requests = scanner.requests
    handler.answer(requests.span, in: input, turn: &turn)
    if !turn.keptStreams.isEmpty { connection.openStreams.append(contentsOf: turn.keptStreams) }
    if turn.endsConnection { end(connection) }
    setFacts(turn.facts, of: connection)
    send(to: connection)
    return turn.firstLeft
  }

  private mutating func refuseRequests(of connection: Connection) {
    for request in scanner.requests {
      if isDraining {
        answers.draining.append(to: &turn.output, for: request.streamID)
      } else {
        answers.tooManyInFlight.append(to: &turn.output, for: request.streamID)
      }
    }
    send(to: connection)
  }

  private mutating func refuse(_ violation: FrameViolation, of connection: Connection) {
    connection.output.append(Frame.ending(stream: violation.streamID, with: violation.status))
    end(connection)
  }

  private mutating func setFacts(_ facts: ConnectionFacts, of connection: Connection) {
    let isTrustChanged = facts.isTrusted != connection.facts.isTrusted
    connection.facts = facts
    if isTrustChanged { tellSenders(of: connection) }
  }

  private mutating func markCancelled(_ streamID: UInt32, of connection: Connection) {
    guard connection.openStreams.contains(streamID) else { return }
    connection.hasCancelledStreams = true
    mailbox.markCancelled(connection.key, streamID)
    cancel(streamID, of: connection)
  }

  /// The peer sends no more: what is in flight is answered, and what can be cancelled is.
  private mutating func finish(_ connection: Connection) {
    connection.phase = .finishing
    connection.inputDeadline = .max
    for streamID in connection.openStreams.ids { markCancelled(streamID, of: connection) }
  }

  /// Throws away what a peer sends after the server's last word.
  private mutating func discard(from connection: Connection) {
    arrivals.removeAll()
    switch arrivals.read(from: connection.socket, atMost: ServerLimits.bytesPerRead) {
    case .moved, .wouldBlock: return
    case .ended, .broken: close(connection)
    }
  }

  /// A frame that has begun must be whole in time; bytes that trickle in don't move the deadline.
  private mutating func setFrameDeadline(of connection: Connection, hasMoved: Bool) {
    if connection.phase == .parting { return }
    if connection.input.isEmpty || connection.isPaused {
      connection.inputDeadline = .max
    } else if hasMoved || connection.inputDeadline == .max {
      connection.inputDeadline = deadline(after: limits.frameTime(for: connection.facts))
    }
  }
}
