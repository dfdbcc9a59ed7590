import LatchkeyWire

/// Where the messages of one streaming call go in; the reader has the other end.
///
/// It doesn't hold the reader's end, so that a reader who leaves is noticed.
final class MessageStream: Sendable {
  /// How many messages may wait for the reader unless more is asked for. All calls share the connection, so a slow reader can't
  /// hold it up.
  static let bufferLimit = 1_024

  private let limit: Int
  private let continuation: AsyncStream<[UInt8]>.Continuation
  private let failure = Guarded<LatchkeyError?>(nil)

  private init(_ continuation: AsyncStream<[UInt8]>.Continuation, limit: Int) {
    self.continuation = continuation
    self.limit = limit
  }

  /// Makes both ends.
  static func make(bufferLimit limit: Int = bufferLimit) -> (stream: MessageStream, messages: AsyncStream<[UInt8]>) {
    let (messages, continuation) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingOldest(limit))
    return (MessageStream(continuation, limit: limit), messages)
  }

  /// Calls back when the reader is gone before the end.
  func onAbandon(_ abandon: @escaping @Sendable () -> Void) {
    continuation.onTermination = { if case .cancelled = $0 { abandon() } }
  }

  /// Gives the reader a message, or false if too many wait already; the stream has failed then.
  func push(_ message: [UInt8]) -> Bool {
    guard case .dropped = continuation.yield(message) else { return true }
    fail(LatchkeyError(.resourceExhausted, "the reader is \(limit) messages behind the server"))
    return false
  }

  /// Ends the stream.
  func end(_ result: Result<Ending, LatchkeyError>) {
    do throws(LatchkeyError) {
      switch try result.get() {
      case .closed(let last): if let last { _ = push(last) }
      case .response(let data):
        let payload = try Answer.payload(data)
        if !payload.isEmpty { _ = push(payload) }
      }
      continuation.finish()
    } catch {
      fail(error)
    }
  }

  /// Why the stream ended; nil: well.
  var error: LatchkeyError? { failure.withLock { $0 } }

  private func fail(_ error: LatchkeyError) {
    failure.withLock { if $0 == nil { $0 = error } }
    continuation.finish()
  }
}
