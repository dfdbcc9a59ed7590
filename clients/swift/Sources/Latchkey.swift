import LatchkeyWire
import Protobuf

/// A client of a Latchkey server: one connection, shared by any number of tasks.
///
/// Calls are pipelined: each is sent at once, and the answers come in any order. The client connects with the first call and
/// again whenever it must, with growing waits. It sends a call again by itself only where that is safe.
///
///     let latchkey = try Latchkey(address: "127.0.0.1:7450")
///     defer { latchkey.close() }
///     if try await latchkey.checkAccess(customer: "alice", entitlement: "pro").allowed {
///       openTheDoor()
///     }
///
/// A call fails with a ``LatchkeyError``. If its task is cancelled, the server is told, and the call throws CANCELLED.
public final class Latchkey: Sendable {
  let engine: Engine
  let options: Options

  /// Makes a client of a server at a numeric IPv4 or IPv6 address, or at `localhost`, which is 127.0.0.1.
  ///
  ///     let latchkey = try Latchkey(host: "::1", port: 7450)
  ///
  /// It doesn't connect yet. Throws INVALID_ARGUMENT for what is no address, and RESOURCE_EXHAUSTED if the system gives no
  /// thread or descriptor.
  public init(host: String, port: Int, options: Options = Options()) throws(LatchkeyError) {
    guard port != 0, let number = UInt16(exactly: port), let address = SocketAddress(host: host, port: number) else {
      throw LatchkeyError(.invalidArgument, "\(host), port \(port), is no numeric address of a server")
    }
    self.options = options
    do throws(SystemFailure) {
      engine = try Engine(address, options)
    } catch {
      throw LatchkeyError(.resourceExhausted, error.description)
    }
  }

  /// Makes a client of a server at an address with a port, such as `127.0.0.1:7450`, `[::1]:7450` or `localhost:7450`.
  ///
  ///     let latchkey = try Latchkey(address: "127.0.0.1:7450")
  public convenience init(address: String, options: Options = Options()) throws(LatchkeyError) {
    guard let colon = address.lastIndex(of: ":"), let port = Int(address[address.index(after: colon)...]) else {
      throw LatchkeyError(.invalidArgument, "\(address) is no address and port, such as 127.0.0.1:7450")
    }
    try self.init(host: String(address[..<colon]), port: port, options: options)
  }

  deinit { engine.close() }

  /// Closes the connection. Calls that wait fail, and so does each later one, with CANCELLED.
  ///
  ///     latchkey.close()
  ///
  /// A client that nothing refers to any more closes itself.
  public func close() { engine.close() }

  /// Calls any method that answers one message; the methods below are this one with names.
  ///
  ///     let answer: CheckAccessResponse = try await latchkey.call(.checkAccess, request)
  public func call<Reply: Message>(
    _ method: Method, _ message: some Message, deadline: Deadline = .byOptions, answering: Reply.Type = Reply.self
  ) async throws(LatchkeyError) -> Reply {
    guard !method.isStreaming else { throw LatchkeyError(.invalidArgument, "\(method.name) answers a stream") }
    return try Answer.message(await answer(to: Question(method, message), deadline))
  }

  /// Calls a method by its names, with the bytes of its message, and gives the bytes of the answer; for tools.
  ///
  ///     let bytes = try await latchkey.call(service: "latchkey.v1.Entitlements", method: "CheckAccess", payload: request)
  ///
  /// - Parameter readsOnly: whether the method changes nothing, so that it may be sent again after a lost connection.
  public func call(
    service: String, method: String, payload: [UInt8], readsOnly: Bool = false, deadline: Deadline = .byOptions
  ) async throws(LatchkeyError) -> [UInt8] {
    let request = Request.with {
      $0.service = service
      $0.method = method
      $0.payload = payload
    }
    return try await answer(to: Question(request: request, readsOnly: readsOnly, isStreaming: false), deadline)
  }

  /// Asks until the server takes the question: UNAVAILABLE says that it was not done, so that any question may be asked again.
  private func answer(to question: Question, _ deadline: Deadline) async throws(LatchkeyError) -> [UInt8] {
    guard question.request.payload.count <= Limits.frameBytes else {
      throw LatchkeyError(.resourceExhausted, "a message of \(question.request.payload.count) bytes is over the limit")
    }
    let moment = deadline.moment(from: .now, options)
    var refusals = 0
    while true {
      let data = try await engine.answer(to: question, before: moment).get()
      do throws(LatchkeyError) {
        return try Answer.payload(data)
      } catch  where error.code == .unavailable && options.waitsForServer {
        refusals += 1
        try await pause(after: refusals, before: moment, else: error)
      }
    }
  }

  /// Waits before another attempt; throws the failure of the last one if the deadline doesn't leave the time.
  private func pause(
    after refusals: Int, before moment: ContinuousClock.Instant?, else error: LatchkeyError
  ) async throws(LatchkeyError) {
    var random = SystemRandomNumberGenerator()
    let end = ContinuousClock.now + options.backoff.wait(afterFailures: refusals, using: &random)
    if let moment, end >= moment { throw error }
    do {
      try await Task.sleep(until: end, clock: .continuous)
    } catch {
      throw .cancelled()
    }
  }
}
