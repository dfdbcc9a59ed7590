import Entitlements
import LatchkeyWire
import Storage

// GrantAccess: an operator's word through the journal, and back.

extension EntitlementService {
  /// Gives an entitlement by hand, or takes it back, and answers once that is durable and visible.
  func grantAccess(_ call: Call) {
    guard let request = call.request(GrantAccessRequest.self) else { return }
    do throws(Status) {
      let granting = try Granting(request, now: now)
      store.submit(.granting(granting), deadline: call.deadline) { result in
        switch result {
        case .success(let applied):
          let grants = self.store.read { ledger, _ in ledger.grants[granting.customer] ?? [] }
          call.finish(GrantAccessResponse(applied, grants: grants.filter { $0.entitlement == granting.entitlement }))
        case .failure(let error): call.fail(error.status)
        }
      }
    } catch {
      call.fail(error)
    }
  }
}

extension Granting {
  /// Takes the operator's word from a request; the store looks at what its fields hold.
  fileprivate init(_ request: GrantAccessRequest, now: Moment) throws(Status) {
    let act: Act
    if request.takeBack {
      guard request.fromMilliseconds == 0, request.untilMilliseconds == nil else {
        throw Status(.invalidArgument, "take_back: from_ms and until_ms belong to a grant; at_ms says when it is taken back")
      }
      act = .takeBack(at: try Field.moment(request.atMilliseconds, named: "at_ms") ?? now)
    } else {
      guard request.atMilliseconds == 0 else {
        throw Status(.invalidArgument, "at_ms: belongs with take_back; from_ms says when a grant begins")
      }
      act = .give(
        from: try Field.moment(request.fromMilliseconds, named: "from_ms") ?? now,
        until: request.untilMilliseconds.map { Moment(milliseconds: $0) })
    }
    self.init(
      customer: CustomerID(request.customerID), entitlement: Identifier(request.entitlement), by: request.by,
      note: request.note, recordedAt: now, act: act)
  }
}

extension GrantAccessResponse {
  fileprivate init(_ applied: Applied, grants: [Entitlements.ManualGrant]) {
    self.init()
    revision = applied.revision
    changes = applied.changes.map { LatchkeyWire.AccessChange($0) }
    self.grants = grants.map { LatchkeyWire.ManualGrant($0) }
  }
}
