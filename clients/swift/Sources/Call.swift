import LatchkeyWire
import Protobuf

/// What is asked: a request and how it may be treated on its way.
struct Question: Sendable {
  /// The request; its timeout is filled in when it is sent.
  var request: Request
  /// Whether it changes nothing, so that it may be sent again after a lost connection.
  let readsOnly: Bool
  /// Whether the answer is a stream of messages.
  let isStreaming: Bool

  /// Makes the question of a method of the schema.
  init(_ method: Method, _ message: some Message) {
    self.init(request: Request(method, message), readsOnly: method.readsOnly, isStreaming: method.isStreaming)
  }

  /// Makes a question of any service.
  init(request: Request, readsOnly: Bool, isStreaming: Bool) {
    self.request = request
    self.readsOnly = readsOnly
    self.isStreaming = isStreaming
  }
}

extension Method {
  /// Whether the method changes nothing on the server, so that it may be sent again. A watch would begin anew: it is resumed.
  var readsOnly: Bool {
    switch self {
    case .checkAccess, .checkAccessBatch, .listEntitlements, .getHistory, .explainAccess, .getRefundReport, .getLeakReport,
      .getConsumption, .compareCatalog,
      .auditAccess, .readBackup, .hello, .healthCheck:
      true
    case .recordTransaction, .grantAccess, .rebuildEntitlements, .watchChanges, .takeSnapshot, .reloadConfiguration,
      .eraseCustomer, .moveCustomer, .restoreEntry:
      false
    }
  }
}

/// The name of one call in its client; never used again.
typealias CallID = UInt64

/// The name of one connection in its client, from 1 on; never used again.
typealias ConnectionID = UInt64

/// A question on its way: until when, who waits for the answer, and where it is.
struct Call: Sendable {
  /// How often a question that only reads is sent before its failure counts as its own: it might be what ends connections.
  static let sendLimit = 5

  let question: Question
  let deadline: ContinuousClock.Instant?
  let receiver: Receiver
  /// How often it was put on a connection.
  var sends = 0
  /// Where it was put; nil while it waits.
  var place: Place?

  /// A stream of a connection.
  struct Place: Sendable {
    let connection: ConnectionID
    let streamID: UInt32
  }

  /// Who waits for the answer.
  enum Receiver: Sendable {
    /// A caller that awaits the data of the response frame.
    case one(CheckedContinuation<Result<[UInt8], LatchkeyError>, Never>)
    /// A caller that reads a stream.
    case many(MessageStream)
  }

  /// Whether it may be done on the server although no answer comes.
  var outcomeIsUnknown: Bool { place != nil && !question.readsOnly }
}

/// How the server ended a stream.
enum Ending: Sendable {
  /// By a response frame with this data.
  case response([UInt8])
  /// By a data frame, with a last message or without.
  case closed(lastMessage: [UInt8]?)
}

/// Something to tell a caller, once no lock is held.
struct Delivery: Sendable {
  enum Content: Sendable {
    case message([UInt8])
    case end(Result<Ending, LatchkeyError>)
  }

  let receiver: Call.Receiver
  let content: Content

  /// Tells the caller; gives false if a stream's reader is too far behind to take the message.
  func deliver() -> Bool {
    switch (receiver, content) {
    case (.one(let continuation), .end(.success(.response(let data)))): continuation.resume(returning: .success(data))
    case (.one(let continuation), .end(.failure(let error))): continuation.resume(returning: .failure(error))
    case (.one, .message), (.one, .end(.success(.closed))):
      preconditionFailure("a conversation lets no data frame through to a call that isn't streaming")
    case (.many(let stream), .message(let bytes)): return stream.push(bytes)
    case (.many(let stream), .end(let result)): stream.end(result)
    }
    return true
  }
}
