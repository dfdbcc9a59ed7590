import Platform

/// Where other threads leave frames and orders for a loop.
final class Mailbox: @unchecked Sendable {
  // Proof for @unchecked: every `var` below is read and written under `lock` alone.
  private let lock = Lock()
  private var mail = Mail()
  private var order = Order.serve
  private var accounts: [Account] = []
  private var cancelled: Set<StreamKey> = []
  private var isClosed = false

  /// Rings when something came into an empty mailbox.
  let bell: WakeUp

  init() throws(SystemError) { bell = try WakeUp() }

  /// What a loop is told to do.
  enum Order: Sendable {
    case serve
    /// Finish what was accepted, at most until a moment of the monotonic clock in nanoseconds.
    case drain(untilNanoseconds: UInt64)
    case stop
  }

  /// Frames that came from other threads, one behind the other, and what each is for.
  struct Mail: ~Copyable {
    var letters: [Letter] = []
    var bytes = ByteQueue()

    mutating func removeAll() {
      letters.removeAll(keepingCapacity: true)
      bytes.removeAll()
      bytes.release(ifOver: 1 << 20)
    }
  }

  /// One frame in the mail.
  struct Letter {
    let connection: ConnectionKey
    let streamID: UInt32
    let byteCount: Int
    let isFinal: Bool
  }

  /// What is known here of the connection in a slot.
  private struct Account {
    var generation: UInt32
    var outputLimit = 0
    /// Bytes that lie in the mail.
    var postedBytes = 0
    /// Bytes that the loop couldn't write yet.
    var waitingBytes = 0
  }

  private struct StreamKey: Hashable {
    let connection: ConnectionKey
    let streamID: UInt32
  }

  // MARK: From any thread

  /// Leaves a frame, of which a copy is taken. A final frame is taken even when the output is full.
  func post(_ frame: [UInt8], to connection: ConnectionKey, _ streamID: UInt32, isFinal: Bool) -> Responder.Outcome {
    var isFirst = false
    let outcome = lock.withLock { () -> Responder.Outcome in
      guard isOpen(connection) else { return .cancelled }
      if !isFinal {
        if isMarkedCancelled(connection, streamID) { return .cancelled }
        if isFull(accounts[connection.index]) { return .full }
      }
      isFirst = mail.letters.isEmpty
      accounts[connection.index].postedBytes += frame.count
      mail.bytes.append(frame)
      mail.letters.append(Letter(connection: connection, streamID: streamID, byteCount: frame.count, isFinal: isFinal))
      return .sent
    }
    if isFirst { PutOff.orRun { self.bell.ring() } }
    return outcome
  }

  func isCancelled(_ connection: ConnectionKey, _ streamID: UInt32) -> Bool {
    lock.withLock { !isOpen(connection) || isMarkedCancelled(connection, streamID) }
  }

  /// Tells the loop what to do from now on.
  func give(_ order: Order) {
    lock.withLock { self.order = order }
    bell.ring()
  }

  // MARK: From the loop

  /// Swaps the mail for an empty one, and returns the order that holds.
  func collect(into taken: inout Mail) -> Order {
    bell.clear()
    return lock.withLock {
      swap(&mail, &taken)
      for letter in taken.letters where isOpen(letter.connection) {
        accounts[letter.connection.index].postedBytes -= letter.byteCount
      }
      return order
    }
  }

  func open(_ connection: ConnectionKey, outputLimit: Int) {
    lock.withLock {
      if connection.index == accounts.count { accounts.append(Account(generation: 0)) }
      accounts[connection.index] = Account(generation: connection.generation, outputLimit: outputLimit)
    }
  }

  /// Tells senders how much of a connection's output waits, and how much may.
  func setWaiting(_ byteCount: Int, outputLimit: Int, of connection: ConnectionKey) {
    lock.withLock {
      accounts[connection.index].waitingBytes = byteCount
      accounts[connection.index].outputLimit = outputLimit
    }
  }

  func markCancelled(_ connection: ConnectionKey, _ streamID: UInt32) {
    lock.withLock { _ = cancelled.insert(StreamKey(connection: connection, streamID: streamID)) }
  }

  /// Forgets a stream that has had its final frame.
  func forget(_ connection: ConnectionKey, _ streamID: UInt32) {
    lock.withLock { _ = cancelled.remove(StreamKey(connection: connection, streamID: streamID)) }
  }

  /// Ends a connection: what is posted to it from now on is dropped.
  func close(_ connection: ConnectionKey) {
    lock.withLock {
      accounts[connection.index] = Account(generation: connection.generation &+ 1)
      if !cancelled.isEmpty { cancelled = cancelled.filter { $0.connection != connection } }
    }
  }

  /// Drops whatever is posted from now on; the loop has ended.
  func close() {
    lock.withLock {
      isClosed = true
      mail.removeAll()
      cancelled.removeAll()
    }
  }

  // MARK: Under the lock

  private func isOpen(_ connection: ConnectionKey) -> Bool {
    !isClosed && accounts[connection.index].generation == connection.generation
  }

  private func isMarkedCancelled(_ connection: ConnectionKey, _ streamID: UInt32) -> Bool {
    !cancelled.isEmpty && cancelled.contains(StreamKey(connection: connection, streamID: streamID))
  }

  private func isFull(_ account: Account) -> Bool { account.postedBytes + account.waitingBytes >= account.outputLimit }
}
