import Entitlements
import LatchkeyWire
import Platform
import Protobuf
import Service
import Storage

/// Whole calls that look at a customer's history, from the bytes of a read to those of the answers, without the sockets.
enum HistoryCallWorks {
  /// How many customers are asked about in turns.
  private static let customerCount = 16
  /// How many calls come in a read: all are answered before the next one, so that waiting for them costs each little.
  private static let callsInRead = 64

  /// Lists what customers with a kind of history may use.
  static func list(_ kind: TypicalHistory, times: Int) throws -> Int {
    try answer(.listEntitlements, kind, times: times) { customer in
      ListEntitlementsRequest.with { ($0.customerID, $0.atTimeMilliseconds) = (customer, moment) }
    }
  }

  /// Gives the whole history of customers with a kind of it.
  static func history(_ kind: TypicalHistory, times: Int) throws -> Int {
    try answer(.getHistory, kind, times: times) { customer in GetHistoryRequest.with { $0.customerID = customer } }
  }

  /// Explains every transaction of customers with a kind of history.
  static func explain(_ kind: TypicalHistory, times: Int) throws -> Int {
    try answer(.explainAccess, kind, times: times) { customer in
      ExplainAccessRequest.with { ($0.customerID, $0.atTimeMilliseconds) = (customer, moment) }
    }
  }

  /// In the period after the 36th renewal.
  private static let moment = Moment.month(36).milliseconds + 86_400_000

  private static func answer(
    _ method: Method, _ kind: TypicalHistory, times: Int, _ request: (_ customer: String) -> some Message
  ) throws -> Int {
    let directory = try TemporaryDirectory()
    let store = try filledStore(directory.path + "/data", kind)
    let service = EntitlementService(store: store, version: "counted")
    var loop = ServiceLoop(service)
    var turn = CountedTurn(lateAnswersAtOnce: callsInRead)
    var (bytes, frames): ([UInt8], [RequestFrame]) = ([], [])
    for index in 0..<callsInRead {
      let start = bytes.count + FrameHeader.byteCount
      let streamID = UInt32(2 * index + 1)
      let customer = TypicalHistory.customer(index % customerCount).text
      try Frame.append(Request(method, request(customer)), streamID: streamID, to: &bytes)
      frames.append(RequestFrame(streamID: streamID, flags: [], offset: start, byteCount: bytes.count - start))
    }
    var sum = 0
    for _ in 0..<times / callsInRead {
      unsafe service.answer(frames.span, in: bytes.span.bytes, turn: &turn, loop: &loop)
      sum &+= turn.awaitLateAnswers()
    }
    return sum
  }

  /// A store of customers who all have a kind of history.
  private static func filledStore(_ path: String, _ kind: TypicalHistory) throws -> EntitlementStore {
    let store = try EntitlementStore.open(path, settings: Settings(), catalog: TypicalHistory.catalog) { _ in }
    let recordings = (0..<customerCount).flatMap { kind.recordings(of: $0) }
    let waiting = AwaitedValue(recordings.count)
    for recording in recordings {
      store.submit(.recording(recording), evaluateAt: recording.receivedAt) { _ in waiting.update { $0 -= 1 } }
    }
    waiting.wait { $0 == 0 ? () : nil }
    return store
  }
}
