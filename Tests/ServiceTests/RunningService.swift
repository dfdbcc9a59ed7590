import Entitlements
import Glibc
import LatchkeyWire
import Platform
import Protobuf
import Service
import Storage
import Testing

/// A service over a store in a directory of its own, spoken to in frames as a connection would.
final class RunningService {
  let store: EntitlementStore
  let service: EntitlementService
  let line = Line()
  private var loop: ServiceLoop
  private let directory: String
  private var lastStreamID: UInt32 = 0

  /// The moment that a turn takes for now: 2023-11-14T22:13:20Z.
  static let now: Int64 = 1_700_000_000_000

  init(
    settings: Settings = Settings(), catalog: Catalog? = nil, loadCatalog: (@Sendable () throws -> Catalog)? = nil,
    watching: WatchOptions = WatchOptions(), clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds() }
  ) throws {
    directory = "/tmp/latchkey-service-\(UInt64.random(in: 0 ... .max))"
    store = try EntitlementStore.open(directory, settings: settings, catalog: catalog, watching: watching.window, clock: clock) {
      error in
      Issue.record("the store failed: \(error)")
    }
    service = EntitlementService(store: store, version: "1.2.3", watching: watching, loadCatalog: loadCatalog)
    loop = ServiceLoop(service)
  }

  deinit {
    _ = try? store.close()
    for name in (try? Directory.names(in: directory)) ?? [] { unsafe unlink("\(directory)/\(name)") }
    unsafe rmdir(directory)
  }

  /// The id of one more stream.
  func nextStreamID() -> UInt32 {
    lastStreamID += lastStreamID == 0 ? 1 : 2
    return lastStreamID
  }

  /// What came of a read.
  struct Read {
    var usesControlFrames: Bool
    var firstLeft: Int?
  }

  /// Hands over requests as one read.
  @discardableResult
  func read(
    _ requests: [(streamID: UInt32, envelope: [UInt8])], flags: FrameFlags = [], outputLimit: Int = .max
  ) -> Read {
    // Something else stands before and between the envelopes, as headers do.
    var input: [UInt8] = []
    var frames: [RequestFrame] = []
    for request in requests {
      input += [UInt8](repeating: 0xAA, count: FrameHeader.byteCount)
      frames.append(
        RequestFrame(streamID: request.streamID, flags: flags, offset: input.count, byteCount: request.envelope.count))
      input += request.envelope
    }
    var turn = LineTurn(line: line, nowMilliseconds: RunningService.now)
    turn.outputLimit = outputLimit
    let bytes = input.span
    service.answer(frames.span, in: unsafe bytes.bytes, turn: &turn, loop: &loop)
    turn.flush()
    return Read(usesControlFrames: turn.usesControlFrames, firstLeft: turn.firstLeft)
  }

  /// Sends a request and returns its stream.
  func send(_ request: Request, flags: FrameFlags = []) -> UInt32 {
    let streamID = nextStreamID()
    read([(streamID, request.encoded())], flags: flags)
    return streamID
  }

  /// Waits for the one response of a stream.
  func response(on streamID: UInt32) throws -> Response {
    let frames = try #require(line.wait(for: streamID))
    #expect(frames.count == 1)
    return try Response(decoding: frames[0].data)
  }

  /// Calls a method and gives its answer; a status fails the test.
  func call<Answer: Message>(
    _ method: Method, _ message: some Message, as type: Answer.Type, timeout: Int64 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Answer {
    let response = try response(on: send(Request(method, message, timeoutNanoseconds: timeout)))
    if let status = response.status { Issue.record("\(status.code): \(status.message)", sourceLocation: sourceLocation) }
    return try Answer(decoding: response.payload)
  }

  /// Calls a method that fails, and gives the status.
  func failure(
    _ method: Method, _ message: some Message, timeout: Int64 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Status {
    let response = try response(on: send(Request(method, message, timeoutNanoseconds: timeout)))
    return try #require(response.status, sourceLocation: sourceLocation)
  }
}

// MARK: - What most tests do

extension RunningService {
  /// Records transactions for a customer, each of which is news.
  @discardableResult
  func record(
    _ transactions: LatchkeyWire.Transaction..., for customer: String = "alice", sharedFrom: [String] = []
  ) throws -> RecordTransactionResponse {
    var last = RecordTransactionResponse()
    for transaction in transactions {
      last = try call(
        .recordTransaction,
        RecordTransactionRequest.with {
          $0.customerID = customer
          $0.transaction = transaction
          $0.sharedFrom = sharedFrom
          $0.evaluateChangesAtMilliseconds = RunningService.now
        }, as: RecordTransactionResponse.self)
    }
    return last
  }

  /// Asks whether a customer may use an entitlement.
  func check(_ customer: String, _ entitlement: String, at moment: Int64 = 0) throws -> CheckAccessResponse {
    try call(
      .checkAccess, CheckAccessRequest(customerID: customer, entitlement: entitlement, atTimeMilliseconds: moment),
      as: CheckAccessResponse.self)
  }
}
