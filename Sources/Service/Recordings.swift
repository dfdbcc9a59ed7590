import AppStore
import Entitlements
import LatchkeyWire
import Platform
import Storage

// RecordTransaction: from what Apple sent to a recording in normal form, through the journal, and back.

extension EntitlementService {
  /// Records a transaction, and answers once it is durable and visible.
  func record<Reply>(_ call: Call<Reply>) {
    guard let request = call.request(RecordTransactionRequest.self) else { return }
    do throws(Status) {
      let received = try ReceivedRecording(request, now: Moment(milliseconds: Clock.wallMilliseconds()))
      let evaluateAt = try Field.moment(request.evaluateChangesAtMilliseconds, named: "evaluate_changes_at_ms")
      store.submit(.recording(received.recording), evaluateAt: evaluateAt, deadline: call.deadline) { result in
        switch result {
        case .success(let applied): call.finish(RecordTransactionResponse(applied, warnings: received.warnings))
        case .failure(let error): call.fail(error.status)
        }
      }
    } catch {
      call.fail(error)
    }
  }
}

/// A recording with what was odd about the document it came in, apart from what the ledger finds in it.
struct ReceivedRecording: Sendable {
  var recording: Recording
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

extension RecordTransactionResponse {
  fileprivate init(_ applied: Applied, warnings: [String]) {
    self.init()
    outcome = LatchkeyWire.Outcome(applied.recorded.outcome)
    customerID = applied.recorded.customer?.text ?? ""
    revision = applied.revision
    changes = applied.changes.map { LatchkeyWire.AccessChange($0) }
    self.warnings = Warnings.listed(warnings + applied.recorded.warnings)
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
