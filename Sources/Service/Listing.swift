import Entitlements
import LatchkeyWire
import Platform
import Storage

// ListEntitlements.

extension EntitlementService {
  /// Lists what a customer may use, and what they could have and may not.
  func listEntitlements(_ call: Call) {
    guard let request = call.request(ListEntitlementsRequest.self) else { return }
    do throws(Status) {
      let customer = try Field.id(request.customerID, named: "customer_id")
      let moment = try Field.moment(request.atTimeMilliseconds, named: "at_time_ms")
      guard request.minRevision > store.revision else { return call.finish(list(customer, at: moment ?? now)) }
      wait(for: request.minRevision, call) { status in
        if let status { return call.fail(status) }
        self.histories.run(call) { $0.finish(self.list(customer, at: moment ?? self.now)) }
      }
    } catch {
      call.fail(error)
    }
  }

  private func list(_ customer: CustomerID, at moment: Moment) -> ListEntitlementsResponse {
    var response = ListEntitlementsResponse()
    // Read first: the answers include this revision at least.
    response.revision = store.revision
    if let answers = store.cache.answers(of: customer, at: moment) {
      response.customerKnown = true
      response.entitlements = answers.map { EntitlementAnswer($0.entitlement, $0.answer) }
    }
    return response
  }

  /// The wall clock's moment.
  var now: Moment { Moment(milliseconds: Clock.wallMilliseconds()) }
}

extension EntitlementAnswer {
  /// A check's answer in the terms of the wire.
  init(_ entitlement: Identifier, _ answer: AccessBlock.Answer) {
    self.init()
    self.entitlement = entitlement.text
    let wire = CheckAccessAnswer(answer, revision: 0)
    allowed = wire.allowed
    reason = wire.reason
    validUntilMilliseconds = wire.validUntilMilliseconds
    ownership = wire.ownership
  }

  /// A decision in the terms of the wire.
  init(_ entitlement: Identifier, _ decision: Decision) {
    self.init()
    self.entitlement = entitlement.text
    allowed = decision.isAllowed
    reason = LatchkeyWire.Reason(decision.reason)
    validUntilMilliseconds = decision.validUntil.flatMap { $0 == .distantFuture ? nil : $0.milliseconds }
    ownership = decision.ownership.map { LatchkeyWire.Ownership.pair($0).0 } ?? .unspecified
  }
}
