import LatchkeyWire

/// Says why a call failed: one of gRPC's status codes, from the server or from the client itself, and a sentence.
///
///     do {
///       _ = try await latchkey.recordTransaction(request)
///     } catch where error.isRetryable {
///       // A later try may go well, and is safe.
///     }
public struct LatchkeyError: Error, Equatable, Sendable {
  /// The kind of failure.
  public let code: StatusCode
  /// The failure in words, for a person.
  public let message: String
  /// Whether the call may have been done although it failed here.
  ///
  /// It is true of a call that changes something, when its request was sent and no answer came. All methods of Latchkey may
  /// safely be sent again: a recording that is known already changes nothing.
  public let outcomeIsUnknown: Bool

  /// Makes an error.
  public init(_ code: StatusCode, _ message: String, outcomeIsUnknown: Bool = false) {
    self.code = code
    self.message = message
    self.outcomeIsUnknown = outcomeIsUnknown
  }

  /// Makes the error that a server's status stands for; of a recording, UNKNOWN says that the outcome isn't known.
  init(_ status: Status) {
    self.init(status.code, status.message, outcomeIsUnknown: status.code == .unknown)
  }

  /// Whether the same call may go well later: the server can't be reached, has too much to do, or its answer was lost.
  public var isRetryable: Bool {
    outcomeIsUnknown || code == .unavailable || code == .resourceExhausted || code == .aborted
  }
}

extension LatchkeyError: CustomStringConvertible {
  /// The code's name and the sentence, as in `UNAVAILABLE: the server is draining`.
  public var description: String {
    message.isEmpty ? code.description : "\(code): \(message)"
  }
}

extension LatchkeyError {
  /// The caller's task was cancelled.
  static func cancelled(outcomeIsUnknown: Bool = false) -> LatchkeyError {
    LatchkeyError(.cancelled, "the task was cancelled", outcomeIsUnknown: outcomeIsUnknown)
  }

  /// The client was closed before the answer came.
  static func closed(outcomeIsUnknown: Bool = false) -> LatchkeyError {
    LatchkeyError(.cancelled, "the client is closed", outcomeIsUnknown: outcomeIsUnknown)
  }

  /// The deadline passed while the call waited or ran.
  static func deadlineExceeded(_ message: String, outcomeIsUnknown: Bool = false) -> LatchkeyError {
    LatchkeyError(.deadlineExceeded, message, outcomeIsUnknown: outcomeIsUnknown)
  }

  /// The connection ended after the request was sent, and the request isn't one to send twice unasked.
  static func outcomeUnknown(_ reason: String) -> LatchkeyError {
    LatchkeyError(
      .unknown, "\(reason); whether the call was done is not known, and sending it again is safe", outcomeIsUnknown: true)
  }

  /// The server sent what the protocol doesn't allow.
  static func breach(_ what: String) -> LatchkeyError {
    LatchkeyError(.internal, "the server broke the protocol: \(what)")
  }
}
