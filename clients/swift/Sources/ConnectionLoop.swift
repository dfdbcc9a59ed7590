import LatchkeyWire

/// The work of the client's one thread: it carries bytes between the switchboard and the sockets.
struct ConnectionLoop {
  /// The thread's end of one connection.
  private struct Link {
    let socket: Socket
    var reader = FrameReader()
    var isConnected = false
    /// Bytes that the system doesn't take yet, and how many of them it has taken.
    var output: [UInt8] = []
    var outputWritten = 0
    /// How many bytes the system took in all.
    var bytesWritten = 0

    var isBlocked: Bool { !output.isEmpty }

    /// Writes as much as the system takes.
    mutating func flush() throws(SystemFailure) {
      let count = try socket.write(output, from: outputWritten)
      outputWritten += count
      bytesWritten += count
      if outputWritten == output.count { (output, outputWritten) = ([], 0) }
    }
  }

  private static let readBytes = 256 << 10
  private let engine: Engine
  private let address: SocketAddress
  private let poller: Poller
  private var links: [ConnectionID: Link] = [:]
  private var buffer = [UInt8](repeating: 0, count: readBytes)

  init(engine: Engine, address: SocketAddress, poller: Poller) {
    self.engine = engine
    self.address = address
    self.poller = poller
  }

  /// Runs until the client is closed.
  mutating func run() {
    while true {
      switch engine.nextStep(blocked: links.compactMap { $0.value.isBlocked ? $0.key : nil }) {
      case .wait(let pause): for readiness in poller.wait(pause) { handle(readiness) }
      case .act(let orders):
        if orders.isOver { return }
        follow(orders)
      }
    }
  }

  private mutating func follow(_ orders: Switchboard.Orders) {
    for connection in orders.hangUps { links[connection] = nil }
    if let connection = orders.connect { attempt(connection) { loop throws(SystemFailure) in try loop.dial(connection) } }
    for (connection, bytes) in orders.outputs {
      attempt(connection) { loop throws(SystemFailure) in try loop.write(bytes, on: connection) }
    }
  }

  private mutating func handle(_ readiness: Poller.Readiness) {
    let connection = readiness.connection
    attempt(connection) { loop throws(SystemFailure) in
      if readiness.canWrite { try loop.becameWritable(connection) }
      if readiness.canRead { try loop.read(connection) }
    }
  }

  /// Does something with a connection, and lets go of it if that fails.
  private mutating func attempt(
    _ connection: ConnectionID, _ work: (inout ConnectionLoop) throws(SystemFailure) -> Void
  ) {
    do throws(SystemFailure) {
      try work(&self)
    } catch {
      lose(connection, error.description)
    }
  }

  private mutating func lose(_ connection: ConnectionID, _ reason: String) {
    let written = links.removeValue(forKey: connection)?.bytesWritten ?? 0
    engine.update { board, now in board.lost(connection, reason, bytesWritten: written, at: now) }
  }

  private mutating func dial(_ connection: ConnectionID) throws(SystemFailure) {
    let socket = try Socket(connectingTo: address)
    try poller.watch(socket, connection, writable: true)
    links[connection] = Link(socket: socket)
  }

  private mutating func becameWritable(_ connection: ConnectionID) throws(SystemFailure) {
    guard let link = links[connection] else { return }
    if !link.isConnected {
      try link.socket.finishConnecting()
      links[connection]?.isConnected = true
      engine.update { board, now in board.connected(connection, at: now) }
    }
    try links[connection]?.flush()
    if links[connection]?.isBlocked == false { try poller.rewatch(link.socket, connection, writable: false) }
  }

  private mutating func write(_ bytes: [UInt8], on connection: ConnectionID) throws(SystemFailure) {
    guard let socket = links[connection]?.socket else { return }
    links[connection]?.output = bytes
    try links[connection]?.flush()
    if links[connection]?.isBlocked == true { try poller.rewatch(socket, connection, writable: true) }
  }

  private mutating func read(_ connection: ConnectionID) throws(SystemFailure) {
    guard let count = try links[connection]?.socket.read(into: &buffer) else { return }
    guard count > 0 else { return lose(connection, "the server closed the connection") }
    guard let frames = links[connection]?.reader.receive(buffer[..<count]) else { return }
    let breach = links[connection]?.reader.breach
    engine.update { board, now in board.received(frames, then: breach, on: connection, at: now) }
  }
}
