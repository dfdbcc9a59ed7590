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
      do throws(Refusal) { try received.recording.validate() } catch { throw error.status }
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

/// A recording with what was odd about it.
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
      let fields = ReceivedFields(request)
      try fields.check()
      self.init(
        recording: Recording(
          customer: customer, rows: fields.rows, renewalInfos: fields.renewalInfos, sharedFrom: sharedFrom,
          source: source ?? (request.notification == nil ? .device : .serverNotification), receivedAt: receivedAt))
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

/// What a request says in fields: a transaction and a renewal info, with the notification that they came in.
private struct ReceivedFields {
  let transaction: LatchkeyWire.Transaction?
  let renewalInfo: LatchkeyWire.RenewalInfo?
  let notification: LatchkeyWire.Notification?
  private let hasStrayJSON: Bool

  init(_ request: RecordTransactionRequest) {
    transaction = request.transaction
    renewalInfo = request.renewalInfo
    notification = request.notification
    hasStrayJSON = !request.renewalInfoJSON.isEmpty
  }

  func check() throws(Status) {
    if hasStrayJSON { throw Status(.invalidArgument, "renewal_info_json: belongs beside a bare transaction in apple_json") }
    guard transaction != nil || renewalInfo != nil || notification != nil else {
      throw Status(.invalidArgument, "transaction: is missing; give it, a renewal_info, a notification, or apple_json")
    }
  }

  private var environment: Entitlements.Environment? {
    notification.flatMap { Environment($0.environment, raw: $0.rawEnvironment) }
  }

  private func bundle(_ own: String) -> String? {
    own.isEmpty ? notification.flatMap { $0.bundleID.isEmpty ? nil : $0.bundleID } : own
  }

  var rows: [Recording.Row] {
    guard let transaction else { return [] }
    var version = Entitlements.Transaction(transaction)
    version.environment = version.environment ?? environment
    return [Recording.Row(transaction: version, bundleID: bundle(transaction.bundleID), revokeMark: revokeMark(version))]
  }

  /// A REVOKE whose transaction carries no revocation date revokes it all the same.
  private func revokeMark(_ version: Entitlements.Transaction) -> Moment? {
    guard let notification, notification.type == NotificationType.revoke.rawValue, version.revocationDate == nil else {
      return nil
    }
    let signed = notification.signedDateMilliseconds
    return signed == 0 ? version.signedDate : Moment(milliseconds: signed)
  }

  var renewalInfos: [Recording.Renewal] {
    guard let renewalInfo else { return [] }
    var info = Entitlements.RenewalInfo(renewalInfo)
    if renewalInfo.originalTransactionID.isEmpty, let row = rows.first {
      info.originalTransactionID = row.transaction.originalTransactionID
    }
    info.environment = info.environment ?? rows.first?.transaction.environment ?? environment
    return [Recording.Renewal(info: info, bundleID: bundle(renewalInfo.bundleID) ?? rows.first?.bundleID)]
  }
}

extension RecordTransactionResponse {
  init(_ applied: Applied, warnings: [String]) {
    self.init()
    outcome = LatchkeyWire.Outcome(name: applied.recorded.outcome.rawValue) ?? .unspecified
    customerID = applied.recorded.customer?.text ?? ""
    revision = applied.revision
    changes = applied.changes.map { LatchkeyWire.AccessChange($0) }
    for warning in warnings + applied.recorded.warnings where !self.warnings.contains(warning) { self.warnings.append(warning) }
  }
}

extension LatchkeyWire.AccessChange {
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
