import LatchkeyWire
import Platform

/// One thread that serves a share of the connections: it accepts, reads, has requests answered, and writes.
///
/// A wake costs one wait and, for each connection that has something, one read, one call of the handler and one write. What
/// other threads have to say comes through the mailbox. All state here belongs to the one thread that calls `run`; it is a
/// struct, because the checks of exclusive access to a class cost 5 % at one request a read, and of one type, because those of a
/// generic one are looked up at run time, which was another tenth of its instructions.
struct EventLoop: ~Copyable {
  let handler: any RequestHandler
  let limits: ServerLimits
  let trustsNewConnections: Bool
  let mailbox: Mailbox
  var answers = ReadyAnswers()
  private let openConnections: ConnectionCount

  var queue: EventQueue
  var connections = ConnectionTable()
  /// What one read brings, for whichever connection it is.
  var arrivals = ByteQueue()
  var scanner = FrameScanner()
  var turn: Turn
  var isDraining = false

  /// Nil once no more connections are accepted.
  private var listener: Listener?
  /// False while accepting rests because the process has no descriptor left.
  private var isAccepting = true
  private var mail = Mailbox.Mail()
  private var endsAtNanoseconds = UInt64.max
  /// True when some connection may have a deadline, so that the loop looks at the clock.
  private var hasDeadlines = false
  private var nextSweepNanoseconds: UInt64 = 0

  /// Makes a loop that is ready to run.
  init(
    handler: any RequestHandler, listener: Listener, mailbox: Mailbox, openConnections: ConnectionCount, options: ServerOptions
  ) throws(SystemError) {
    let queue = try EventQueue()
    try queue.add(listener.socket.descriptor, for: [.reading, .exclusive], token: Token.listener)
    try queue.add(mailbox.bell.descriptor, for: .reading, token: Token.bell)
    self.queue = queue
    self.handler = handler
    self.listener = listener
    self.mailbox = mailbox
    self.openConnections = openConnections
    limits = options.limits
    trustsNewConnections = options.trustsNewConnections
    turn = Turn(mailbox: mailbox)
  }

  /// The numbers in the event queue that name no connection; their slot is greater than any.
  private enum Token {
    static var listener: UInt64 { .max }
    static var bell: UInt64 { .max - 1 }
  }

  /// Serves until told to stop, or until all is drained.
  mutating func run() {
    while !isOver {
      let count = queue.wait(milliseconds: hasDeadlines || isDraining ? ServerLimits.sweepMilliseconds : nil)
      turn.nowMilliseconds = Clock.wallMilliseconds()
      for index in 0..<count { handle(queue[index]) }
      if hasDeadlines || isDraining { sweep() }
    }
    stopAccepting()
    for connection in connections.all { close(connection) }
    mailbox.close()
  }

  private var isOver: Bool {
    isDraining && (connections.count == 0 || Clock.monotonicNanoseconds() >= endsAtNanoseconds)
  }

  private mutating func handle(_ event: Event) {
    switch event.token {
    case Token.listener: accept()
    case Token.bell: readMail()
    default:
      guard let connection = connections[ConnectionKey(token: event.token)] else { return }
      if event.isBroken { return close(connection) }
      if event.isReadable { receive(from: connection) }
      if event.isWritable { settle(connection) }
    }
  }

  // MARK: Orders and answers from other threads

  private mutating func readMail() {
    switch mailbox.collect(into: &mail) {
    case .serve: break
    case .drain(let deadline): drain(untilNanoseconds: deadline)
    case .stop: drain(untilNanoseconds: 0)
    }
    guard !mail.letters.isEmpty else { return }
    var offset = 0
    for letter in mail.letters {
      deliver(letter, at: offset)
      offset += letter.byteCount
    }
    // Several letters for one connection are written at once: only the first of them finds output.
    for letter in mail.letters {
      if let connection = connections[letter.connection] { settle(connection) }
    }
    mail.removeAll()
  }

  private mutating func deliver(_ letter: Mailbox.Letter, at offset: Int) {
    guard let connection = connections[letter.connection] else { return }
    if letter.isFinal {
      guard connection.openStreams.remove(letter.streamID) else { return }
      if connection.hasCancelledStreams { mailbox.forget(letter.connection, letter.streamID) }
    } else if !connection.openStreams.contains(letter.streamID) {
      return
    }
    mail.bytes.withBytes { connection.output.append($0.extracting(offset..<offset + letter.byteCount)) }
  }

  private mutating func drain(untilNanoseconds deadline: UInt64) {
    endsAtNanoseconds = deadline
    guard !isDraining else { return }
    isDraining = true
    stopAccepting()
    for connection in connections.all {
      if connection.facts.usesControlFrames {
        connection.output.append(Frame.goAway(lastStreamID: connection.streamOrder.last))
      }
      settle(connection)
    }
  }

  // MARK: Accepting

  private mutating func accept() {
    guard let listener else { return }
    do throws(SystemError) {
      guard let socket = try listener.socket.accept() else { return }
      if openConnections.add(limit: limits.connections) { open(socket) } else { socket.resetWhenClosed() }
    } catch {
      // Out of descriptors: the connection goes on waiting, and so does the loop until the next sweep.
      restAccepting()
    }
  }

  private mutating func open(_ socket: consuming Socket) {
    let facts = ConnectionFacts(isTrusted: trustsNewConnections)
    let connection = Connection(key: connections.nextKey, socket: socket, facts: facts)
    connections.insert(connection)
    mailbox.open(connection.key, outputLimit: limits.outputBytes(for: facts))
    do throws(SystemError) {
      try queue.add(connection.socket.descriptor, for: .reading, token: connection.key.token)
    } catch {
      close(connection)
    }
  }

  private mutating func restAccepting() {
    isAccepting = false
    hasDeadlines = true
    if let listener { try? queue.remove(listener.socket.descriptor) }
  }

  private mutating func resumeAccepting() {
    guard !isAccepting, let listener else { return }
    do throws(SystemError) {
      try queue.add(listener.socket.descriptor, for: [.reading, .exclusive], token: Token.listener)
      isAccepting = true
    } catch {
      hasDeadlines = true
    }
  }

  private mutating func stopAccepting() {
    if let listener, isAccepting { try? queue.remove(listener.socket.descriptor) }
    listener = nil
  }

  // MARK: Ends

  /// Ends a connection at once, and tells the handler of the streams that nobody waits for.
  mutating func close(_ connection: Connection) {
    connections.remove(connection.key)
    mailbox.close(connection.key)
    openConnections.remove()
    for id in connection.openStreams.ids { cancel(id, of: connection) }
  }

  mutating func cancel(_ streamID: UInt32, of connection: Connection) {
    handler.cancelled(Responder(mailbox: mailbox, connection: connection.key, streamID: streamID))
  }

  /// The moment of the monotonic clock after a duration, at which the loop will look at its connections.
  mutating func deadline(after duration: Duration) -> UInt64 {
    hasDeadlines = true
    return Clock.monotonicNanoseconds() &+ duration.nanoseconds
  }

  private mutating func sweep() {
    let now = Clock.monotonicNanoseconds()
    guard now >= nextSweepNanoseconds else { return }
    nextSweepNanoseconds = now + UInt64(ServerLimits.sweepMilliseconds) * 1_000_000
    hasDeadlines = false
    resumeAccepting()
    for connection in connections.all where connection.deadline != .max {
      if connection.deadline > now {
        hasDeadlines = true
      } else {
        connection.socket.resetWhenClosed()
        close(connection)
      }
    }
  }
}
