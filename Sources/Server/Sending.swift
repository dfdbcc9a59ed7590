import Platform

// From the handler to the socket.
extension EventLoop {
  /// Writes the answers of a turn, and keeps what the kernel doesn't take.
  mutating func send(to connection: Connection) {
    if connection.output.isEmpty, !turn.output.isEmpty {
      switch turn.output.write(to: connection.socket) {
      case .moved, .wouldBlock: break
      case .ended, .broken: connection.phase = .broken
      }
    }
    if !turn.output.isEmpty {
      turn.output.withBytes { connection.output.append($0) }
      turn.output.removeAll()
      connection.isPaused = connection.output.count >= limits.outputBytes(for: connection.facts)
    }
    turn.output.release(ifOver: 4 * ServerLimits.bytesPerRead)
  }

  /// Does what a connection's state asks for, after anything about it has changed.
  mutating func settle(_ connection: Connection) {
    flush(connection)
    resume(connection)
    let isIdle = connection.openStreams.isEmpty && connection.output.isEmpty
    switch connection.phase {
    case .serving: if isDraining && isIdle { part(from: connection) }
    case .finishing: if isIdle { return close(connection) }
    case .ending: if connection.output.isEmpty { part(from: connection) }
    case .parting: break
    case .broken: return close(connection)
    }
    if connection.waitingBytesTold != connection.output.count { tellSenders(of: connection) }
    watch(connection)
  }

  /// Closes a connection once its output is written.
  mutating func end(_ connection: Connection) {
    connection.phase = .ending
    connection.inputDeadline = .max
  }

  /// Tells those who hold responders how much output waits, and how much may.
  func tellSenders(of connection: Connection) {
    connection.waitingBytesTold = connection.output.count
    mailbox.setWaiting(
      connection.output.count, outputLimit: limits.outputBytes(for: connection.facts), of: connection.key)
  }

  private mutating func flush(_ connection: Connection) {
    if connection.output.isEmpty { return }
    let before = connection.output.count
    switch connection.output.write(to: connection.socket) {
    case .moved, .wouldBlock: break
    case .ended, .broken: connection.phase = .broken
    }
    connection.output.release()
    if connection.output.isEmpty {
      connection.outputDeadline = .max
    } else if connection.output.count < before || connection.outputDeadline == .max {
      connection.outputDeadline = deadline(after: limits.slowPeer)
    }
  }

  /// Takes requests again when half of a full output is written; those that came before wait in the input.
  private mutating func resume(_ connection: Connection) {
    let half = limits.outputBytes(for: connection.facts) / 2
    while connection.isPaused, connection.output.count <= half, connection.phase == .serving {
      connection.isPaused = false
      takeInput(of: connection)
    }
  }

  /// Says that nothing more will come, and waits for the peer to have read it: a close with unread bytes would reset it away.
  private mutating func part(from connection: Connection) {
    connection.socket.endWriting()
    connection.phase = .parting
    connection.input.removeAll()
    connection.input.release()
    connection.inputDeadline = deadline(after: limits.farewell)
  }

  /// Tells the event queue what to watch for, when it has changed.
  private mutating func watch(_ connection: Connection) {
    let wanted = connection.wantedInterest
    if wanted == connection.interest { return }
    connection.interest = wanted
    do throws(SystemError) {
      try queue.change(connection.socket.descriptor, to: wanted, token: connection.key.token)
    } catch {
      close(connection)
    }
  }
}
