import Entitlements
import LatchkeyWire
import Platform
import Storage

// AuditAccess.

extension EntitlementService {
  /// Says what was known about a customer at a moment, and why today's answers for it differ.
  func audit(_ call: Call) {
    guard let request = call.request(AuditAccessRequest.self) else { return }
    call.answer { () throws(Status) in
      let customer = try Field.id(request.customerID, named: "customer_id")
      let entitlement = request.entitlement.isEmpty ? nil : try Field.id(request.entitlement, named: "entitlement")
      let moment =
        try Field.moment(request.atTimeMilliseconds, named: "at_time_ms") ?? Moment(milliseconds: Clock.wallMilliseconds())
      do throws(StoreError) {
        let turns = Turns(isGivenUp: { call.reply.isCancelled })
        return AuditAccessResponse(try store.audit(customer, entitlement: entitlement, at: moment, turns: turns), at: moment)
      } catch {
        throw error.status
      }
    }
  }
}

extension AuditAccessResponse {
  /// How many versions, and how many later inputs, are listed at most.
  private static let listLimit = 1_000

  fileprivate init(_ audit: Audit, at moment: Moment) {
    self.init()
    answers = audit.answers.map { answer in
      AuditedAnswer.with {
        $0.then = EntitlementAnswer(answer.entitlement, answer.then)
        $0.today = EntitlementAnswer(answer.entitlement, answer.today)
      }
    }
    known = audit.known.prefix(AuditAccessResponse.listLimit).map { $0.historyEntry() }
    later = audit.later.prefix(AuditAccessResponse.listLimit).map { LatchkeyWire.LaterInput($0) }
    (knownRevision, revision) = (audit.knownRevision, audit.revision)
    (customerWasKnown, customerIsKnown) = (audit.wasKnown, audit.isKnown)
    atTimeMilliseconds = moment.milliseconds
  }
}

extension LatchkeyWire.LaterInput {
  fileprivate init(_ later: Audit.LaterInput) {
    self.init()
    revision = later.revision
    recordedAtMilliseconds = later.recordedAt.milliseconds
    switch later.input {
    case .recording(let recording):
      kind = "recording"
      source = LatchkeyWire.Source(recording.source)
      transactionIDs = recording.rows.map(\.transaction.transactionID.text)
      notificationType = recording.notification?.type ?? ""
    case .settings: kind = "settings"
    case .catalog: kind = "catalog"
    case .granting: kind = "grant"
    case .erasure: kind = "erasure"
    case .move: kind = "move"
    case .restoration: kind = "restoration"
    }
  }
}
