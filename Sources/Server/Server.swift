import Platform
import Synchronization

/// Listens on a loopback address and has the requests that arrive answered by a handler, on a number of event loops.
package final class Server: Sendable {
  /// Where it listens, with the port that the kernel chose when 0 was asked for.
  package let endpoint: Endpoint

  private let crew = Crew()
  private let connectionCount = ConnectionCount()

  /// Begins to serve.
  /// - Parameter makeHandler: makes the handler of one loop.
  /// - Throws: `ServerError`, when the address is public, can't be listened on, or the process may not start threads.
  package init(
    on endpoint: Endpoint, options: ServerOptions = ServerOptions(), makeHandler: () -> any RequestHandler
  ) throws(ServerError) {
    guard endpoint.isLoopback else { throw .publicAddress(endpoint) }
    OpenFiles.raiseLimit()
    let listener: Listener
    do throws(SystemError) { listener = Listener(try ListeningSocket(on: endpoint)) } catch { throw .system(error) }
    self.endpoint = listener.socket.endpoint
    do throws(SystemError) {
      for number in 0..<max(options.loops, 1) { try startLoop(number, listener, options, makeHandler()) }
    } catch {
      stop()
      throw .system(error)
    }
  }

  private func startLoop(
    _ number: Int, _ listener: Listener, _ options: ServerOptions, _ handler: any RequestHandler
  ) throws(SystemError) {
    let mailbox = try Mailbox()
    // Safe: the thread below is the only one that ever touches the loop.
    nonisolated(unsafe) var loop = try EventLoop(
      handler: handler, listener: listener, mailbox: mailbox, openConnections: connectionCount, options: options)
    let thread = try Thread(named: "loop \(number)") {
      Thread.takesShortTurns()
      unsafe loop.run()
    }
    crew.add(thread, hearing: mailbox)
  }

  /// The number of open connections.
  package var openConnections: Int { connectionCount.value }

  /// Accepts no more, tells the clients, finishes what was accepted, closes, and returns when all loops have ended.
  ///
  /// Requests that arrive meanwhile are answered UNAVAILABLE.
  /// - Parameter bound: how long it may take; what isn't finished then is dropped.
  package func drain(within bound: Duration) {
    crew.end(.drain(untilNanoseconds: Clock.monotonicNanoseconds() &+ bound.nanoseconds))
  }

  /// Closes everything at once, and returns when all loops have ended.
  package func stop() { crew.end(.stop) }
}

/// How a server is set up.
package struct ServerOptions: Sendable {
  /// The number of event loops, each a thread; about one for each core that should serve.
  package var loops = 1
  /// True when clients need no token: each connection gets the full limits from its start.
  package var trustsNewConnections = true
  package var limits = ServerLimits()

  package init() {}
}

/// Why a server can't begin.
package enum ServerError: Error, CustomStringConvertible {
  /// Other machines could reach the address, and nothing would ask them who they are.
  case publicAddress(Endpoint)
  case system(SystemError)

  package var description: String {
    switch self {
    case .publicAddress(let endpoint):
      "\(endpoint) is a public address; only loopback addresses are served until access control comes"
    case .system(let error): error.description
    }
  }
}

/// The listening socket that all loops share; it closes when the last of them lets go of it.
final class Listener: Sendable {
  let socket: ListeningSocket

  init(_ socket: consuming ListeningSocket) { self.socket = socket }
}

/// The number of connections that are open over all loops.
final class ConnectionCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  /// Counts one more, unless the limit is reached.
  func add(limit: Int) -> Bool {
    if count.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
    remove()
    return false
  }

  func remove() { count.wrappingSubtract(1, ordering: .relaxed) }
}

/// The threads of the loops, and where each hears its orders.
private final class Crew: @unchecked Sendable {
  // Proof for @unchecked: both lists are read and written under `lock` alone, and a member is taken out before it is joined.
  private let lock = Lock()
  private var mailboxes: [Mailbox] = []
  private var members: [Member] = []

  private final class Member {
    private var thread: Thread?

    init(_ thread: consuming Thread) { self.thread = consume thread }

    func join() { if let thread = thread.take() { thread.join() } }
  }

  func add(_ thread: consuming Thread, hearing mailbox: Mailbox) {
    let member = Member(thread)
    lock.withLock {
      members.append(member)
      mailboxes.append(mailbox)
    }
  }

  /// Gives all loops an order that ends them, and waits until they have ended, unless another call already does.
  func end(_ order: Mailbox.Order) {
    let (mailboxes, members) = lock.withLock { () -> ([Mailbox], [Member]) in
      defer { self.members = [] }
      return (self.mailboxes, self.members)
    }
    for mailbox in mailboxes { mailbox.give(order) }
    for member in members { member.join() }
  }
}
