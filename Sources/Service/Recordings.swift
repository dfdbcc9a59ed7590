import AppStore
import Entitlements
import LatchkeyWire
import Platform
import Protobuf
import Storage

// RecordTransaction: from what Apple sent to a recording in normal form, through the journal, and back.

extension EntitlementService {
  /// Records a transaction, and answers once it is durable and visible.
  func record(_ call: Call) {
    let now = Moment(milliseconds: Clock.wallMilliseconds())
    // Bytes have no padding that could be read uninitialised.
    if let received = ReceivedRecording(inPlace: unsafe call.payload.span.bytes, now: now) { return record(received, for: call) }
    guard let request = call.request(RecordTransactionRequest.self) else { return }
    do throws(Status) {
      record(try ReceivedRecording(request, now: now), for: call)
    } catch {
      call.fail(error)
    }
  }

  private func record(_ received: consuming ReceivedRecording, for call: Call) {
    let (evaluateAt, warnings) = (received.evaluateAt, received.warnings)
    store.submit(.recording((consume received).recording), evaluateAt: evaluateAt, deadline: call.deadline) { result in
      switch result {
      case .success(let applied):
        call.finish(roomFor: 128) { encoder in encoder.append(fieldsOf: applied, warnings: warnings) }
      case .failure(let error): call.fail(error.status)
      }
    }
  }
}

/// A recording as a request gives it.
struct ReceivedRecording: Equatable, Sendable {
  var recording: Recording
  /// The moment at which the answer's changes compare before and after; nil: now.
  var evaluateAt: Moment?
  /// What was odd about the document it came in, apart from what the ledger finds in it.
  var warnings: [String] = []

  /// Takes a recording from a request: from Apple's JSON just as it came, or from the fields.
  init(_ request: RecordTransactionRequest, now: Moment) throws(Status) {
    let customer = request.customerID.isEmpty ? nil : try Field.id(request.customerID, named: "customer_id")
    let receivedAt = try Field.moment(request.receivedAtMilliseconds, named: "received_at_ms") ?? now
    guard request.sharedFrom.count <= Recording.linkLimit else {
      throw Status(.invalidArgument, "shared_from: at most \(Recording.linkLimit) links in one recording")
    }
    let sharedFrom = request.sharedFrom.map { Identifier($0) }
    let source = try ReceivedRecording.source(request.source)
    if request.appleJSON.isEmpty {
      try request.checkFields()
      self.init(
        recording: Recording(
          customer: customer, notification: request.notificationIdentity, rows: request.rows, renewalInfos: request.renewalInfos,
          sharedFrom: sharedFrom, source: source ?? (request.notification == nil ? .device : .serverNotification),
          receivedAt: receivedAt))
    } else {
      try self.init(json: request, customer: customer, sharedFrom: sharedFrom, source: source, receivedAt: receivedAt)
    }
    evaluateAt = try Field.moment(request.evaluateChangesAtMilliseconds, named: "evaluate_changes_at_ms")
  }

  private init(recording: Recording) { self.recording = recording }

  /// Takes a recording from Apple's JSON.
  private init(
    json request: RecordTransactionRequest, customer: CustomerID?, sharedFrom: [Identifier], source: Entitlements.Source?,
    receivedAt: Moment
  ) throws(Status) {
    guard request.transaction == nil, request.renewalInfo == nil, request.notification == nil else {
      throw Status(.invalidArgument, "apple_json: give either Apple's JSON or the fields, not both")
    }
    let document: AppleDocument
    do {
      document = try AppleDocument(
        parsing: request.appleJSON, renewalInfo: request.renewalInfoJSON.isEmpty ? nil : request.renewalInfoJSON,
        customer: customer, sharedFrom: sharedFrom, source: source, receivedAt: receivedAt)
    } catch {
      throw Status(.invalidArgument, "apple_json: \(error)")
    }
    recording = document.recording
    warnings = document.warnings
  }

  private static func source(_ number: LatchkeyWire.Source) throws(Status) -> Entitlements.Source? {
    if number == .unspecified { return nil }
    guard let source = Entitlements.Source(number) else { throw Status(.invalidArgument, "source: \(number) is no source") }
    return source
  }
}

extension MessageEncoder {
  /// Writes the fields of a ``RecordTransactionResponse``.
  fileprivate mutating func append(fieldsOf applied: Applied, warnings: [String]) {
    append(1, LatchkeyWire.Outcome(applied.recorded.outcome))
    if let customer = applied.recorded.customer { append(2, customer) }
    if applied.revision != 0 { append(3, varint: applied.revision) }
    for change in applied.changes {
      append(4) { encoder in
        var change = LatchkeyWire.AccessChange(change)
        change.encode(into: &encoder)
      }
    }
    if warnings.isEmpty && applied.recorded.warnings.isEmpty { return }
    for warning in Warnings.listed(warnings + applied.recorded.warnings) { append(5, warning.utf8.span) }
  }
}

extension LatchkeyWire.Outcome {
  /// The outcome in the terms of the wire.
  init(_ outcome: Entitlements.Outcome) {
    switch outcome {
    case .applied: self = .applied
    case .duplicate: self = .duplicate
    case .stale: self = .stale
    case .unclaimed: self = .unclaimed
    case .heldByAnother: self = .heldByAnother
    case .ignored: self = .ignored
    }
  }
}

extension LatchkeyWire.AccessChange {
  /// The change in the terms of the wire.
  init(_ change: Storage.AccessChange) {
    self.init()
    customerID = change.customer.text
    entitlement = change.entitlement.text
    allowed = change.isAllowed
    reason = LatchkeyWire.Reason(change.reason)
  }
}

extension LatchkeyWire.Reason {
  /// The numbers of the domain's reasons are those of the schema.
  init(_ reason: Entitlements.Reason) { self.init(rawValue: Int32(reason.rawValue)) }
}
