import Entitlements
import Journaling
import LatchkeyWire
import Platform
import Storage
import Synchronization

/// Answers every method: one request in, one response or a stream of them out. Knows no sockets.
///
/// Checks are answered in their turn. What looks at histories runs on a queue of its own, what takes long on another, and
/// recordings go to the store; their answers follow when they are ready.
package final class EntitlementService: Sendable {
  let store: EntitlementStore
  let version: String
  /// Whether allowed checks are counted for the reports.
  let countsChecks: Bool
  /// Reads the catalog's file again; nil where the server was started without one.
  let loadCatalog: (@Sendable () throws -> Catalog)?
  /// Answers from histories, in order, a bounded number at once.
  let histories = BoundedQueue("histories", limit: 1_024, nice: Precedence.answers)
  /// How many customers a new catalog may cut without force.
  let catalogCutLimit: CutLimit
  /// Reports over all records, which take their time.
  let reports = BoundedQueue("reports", limit: 16, nice: Precedence.longWorks)
  /// Snapshots, reloads, audits and comparisons of catalogs, in order.
  let operations = BoundedQueue("operations", limit: 16, nice: Precedence.longWorks)
  /// Rebuilds; the store refuses what may not run twice.
  let rebuilds = BoundedQueue("rebuilds", limit: 16, threads: 16, nice: Precedence.longWorks)
  /// Streams of changes.
  let watches: Watches
  /// The snapshot that a backup is being read from: one that is pruned meanwhile is read to its end all the same.
  let backup = Guarded<SnapshotFile?>(nil)
  private let isServing = Atomic(true)

  /// - Parameter watching: how watch streams are served.
  package init(
    store: EntitlementStore, version: String, watching: WatchOptions = WatchOptions(), countsChecks: Bool = true,
    loadCatalog: (@Sendable () throws -> Catalog)? = nil, catalogCutLimit: CutLimit = .default
  ) {
    self.store = store
    self.catalogCutLimit = catalogCutLimit
    self.version = version
    self.countsChecks = countsChecks
    self.loadCatalog = loadCatalog
    watches = Watches(of: store, options: watching)
  }

  deinit { watches.end() }

  /// From now on the health check says that requests should go elsewhere. Watches end, each with where to go on.
  package func stopServing() {
    isServing.store(false, ordering: .releasing)
    watches.end()
  }

  /// Has watchers told what the clock brought, before they would be.
  package func lookAtWatches() { watches.look() }

  var health: HealthCheckResponse {
    HealthCheckResponse.with { $0.status = isServing.load(ordering: .acquiring) ? .serving : .notServing }
  }
}

/// What a loop keeps from turn to turn.
package struct ServiceLoop: ~Copyable {
  var reader: CheckReader
  /// The checks of a batch that weren't asked, in its order.
  var refusals: [BatchRefusal] = []
  /// The answers of a batch, before their length is known.
  var batch = ByteQueue()

  /// - Parameter checksInTurn: how many checks a turn has at most.
  package init(_ service: EntitlementService, checksInTurn: Int = CheckReader.checksInTurn) {
    reader = CheckReader(service.store.cache, countsChecks: service.countsChecks, capacity: checksInTurn)
  }
}

// MARK: - A turn

extension EntitlementService {
  /// Answers all requests of one read. Those that can't be answered at once keep their way back, and are answered later.
  package func answer<Turn: CallTurn & ~Copyable>(
    _ requests: Span<RequestFrame>, in input: RawSpan, turn: inout Turn, loop: inout ServiceLoop
  ) {
    let now = turn.nowMilliseconds
    // Checks are written at the end, so that the output is looked at only after something else was.
    var isOutputKnown = false
    for index in requests.indices {
      if !isOutputKnown {
        if turn.isOutputFull {
          turn.leave(from: index)
          break
        }
        isOutputKnown = true
      }
      if !take(requests[index], in: input, now: now, turn: &turn, loop: &loop) { isOutputKnown = false }
    }
    finishChecks(in: input, turn: &turn, loop: &loop)
  }

  /// Takes a check for the end of the turn, or has any other request answered; returns whether it was a check.
  @inline(__always)
  private func take<Turn: CallTurn & ~Copyable>(
    _ request: RequestFrame, in input: RawSpan, now: Int64, turn: inout Turn, loop: inout ServiceLoop
  ) -> Bool {
    let bytes = input.extracting(request.offset..<request.offset + request.byteCount)
    do throws(Status) {
      let envelope = try parse(bytes)
      guard let method = envelope.calledMethod(in: bytes) else { throw unknownMethod(envelope, in: bytes) }
      if request.flags.contains(.remoteOpen) { throw Status(.unimplemented, "Latchkey has no methods that take a stream") }
      let payload = (envelope.payload.lowerBound + request.offset)..<(envelope.payload.upperBound + request.offset)
      var awaited: UInt64?
      if method == .checkAccess {
        awaited = try takeCheck(payload, of: request, in: input, now: now, loop: &loop)
        if awaited == nil { return true }
      } else if method == .checkAccessBatch {
        awaited = try answerBatch(payload, of: request, in: input, turn: &turn, loop: &loop)
        if awaited == nil { return false }
      }
      answerApart(method, envelope, input.extracting(payload), awaiting: awaited ?? 0, of: request, turn: &turn)
    } catch {
      turn.withOutput { output in output.append(Frame.ending(stream: request.streamID, with: error)) }
    }
    return false
  }

  @inline(__always)
  private func parse(_ bytes: RawSpan) throws(Status) -> RequestEnvelope {
    do {
      return try RequestEnvelope(parsing: bytes)
    } catch {
      throw Status(.invalidArgument, "the request's envelope isn't a valid message: \(error)")
    }
  }

  private func unknownMethod(_ envelope: RequestEnvelope, in bytes: RawSpan) -> Status {
    if envelope.methodNumber != 0 { return Status(.unimplemented, "there is no method with the number \(envelope.methodNumber)") }
    func text(_ range: Range<Int>) -> String {
      // A name that isn't UTF-8 was refused with the envelope; a long one is cut.
      let shown = bytes.extracting(range.lowerBound..<min(range.upperBound, range.lowerBound + 128))
      return unsafe shown.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    return Status(.unimplemented, "there is no method \(text(envelope.service))/\(text(envelope.method))")
  }

  /// Takes a request out of the turn, and sends it where it is answered; a check once the state includes a revision.
  private func answerApart<Turn: CallTurn & ~Copyable>(
    _ method: Method, _ envelope: RequestEnvelope, _ payload: RawSpan, awaiting revision: UInt64, of request: RequestFrame,
    turn: inout Turn
  ) {
    let timeout = envelope.timeoutNanoseconds
    let copy = unsafe payload.withUnsafeBytes { unsafe [UInt8]($0) }
    let deadline = timeout > 0 ? Clock.monotonicNanoseconds().addingReportingOverflow(UInt64(timeout)) : nil
    let call = Call(
      method: method, payload: copy, deadline: deadline.map { $0.overflow ? .max : $0.partialValue },
      reply: turn.reply(for: request.streamID))
    switch method {
    case .hello: turn.usesControlFrames = answerHello(call) || turn.usesControlFrames
    case .healthCheck: answerHealth(call)
    case .checkAccess, .checkAccessBatch: answer(call, onceReached: revision)
    case .recordTransaction: record(call)
    case .grantAccess: grantAccess(call)
    case .listEntitlements: histories.run(call) { self.listEntitlements($0) }
    case .getHistory: histories.run(call) { self.history($0) }
    case .explainAccess: histories.run(call) { self.explain($0) }
    case .watchChanges: watchChanges(call)
    case .rebuildEntitlements: rebuilds.run(call) { self.rebuild($0) }
    case .getRefundReport: reports.run(call) { self.refundReport($0) }
    case .getLeakReport: reports.run(call) { self.leakReport($0) }
    case .getConsumption: histories.run(call) { self.consumption($0) }
    case .takeSnapshot: operations.run(call) { self.takeSnapshot($0) }
    case .reloadConfiguration: operations.run(call) { self.reloadConfiguration($0) }
    case .eraseCustomer: eraseCustomer(call)
    case .moveCustomer: moveCustomer(call)
    // In the queue of snapshots, which remove what an audit reads.
    case .auditAccess: operations.run(call) { self.audit($0) }
    case .readBackup: readBackup(call)
    case .restoreEntry: restoreEntry(call)
    case .compareCatalog: operations.run(call) { self.compareCatalog($0) }
    }
  }
}
