import Platform

/// One call of the handler: where the answers go, and what else can come of a request.
package struct Turn: ~Copyable {
  /// The wall clock, in milliseconds since 1970 UTC, read once for all events of a wake.
  package internal(set) var nowMilliseconds: Int64 = 0

  /// Takes complete response frames, in any order.
  package var output = ByteQueue()

  /// What the server knows of the connection, to be changed by a Hello.
  package var facts = ConnectionFacts(isTrusted: false)

  /// The streams that were taken out of the turn, ascending.
  private(set) var keptStreams: [UInt32] = []
  /// The first request that was left for later.
  private(set) var firstLeft: Int?
  private(set) var endsConnection = false

  private var connection = ConnectionKey(slot: 0, generation: 0)
  private var bytesWaiting = 0
  private var outputLimit = 0
  private let mailbox: Mailbox

  init(mailbox: Mailbox) { self.mailbox = mailbox }

  /// Takes a request out of the turn: its final frame comes later, from any thread.
  ///
  /// Called once for a stream, in the order of the requests.
  package mutating func responder(for streamID: UInt32) -> Responder {
    precondition(keptStreams.last.map { $0 < streamID } ?? true, "responders are taken once, in the order of the requests")
    keptStreams.append(streamID)
    return Responder(mailbox: mailbox, connection: connection, streamID: streamID)
  }

  /// True when the peer must read before it may be answered more; asked before each long answer.
  package var isOutputFull: Bool { bytesWaiting + output.count >= outputLimit }

  /// Leaves the requests from an index on for a later turn, because the output is full.
  package mutating func leave(from index: Int) {
    precondition(isOutputFull, "requests are left only when the output is full")
    firstLeft = index
  }

  /// Closes the connection once the output is written.
  package mutating func endConnection() { endsConnection = true }

  /// Turns to the next read.
  mutating func begin(_ connection: ConnectionKey, _ facts: ConnectionFacts, bytesWaiting: Int, outputLimit: Int) {
    self.connection = connection
    self.facts = facts
    self.bytesWaiting = bytesWaiting
    self.outputLimit = outputLimit
    keptStreams.removeAll(keepingCapacity: true)
    firstLeft = nil
    endsConnection = false
  }
}
