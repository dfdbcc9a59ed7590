import Entitlements
import LatchkeyWire
import Platform
import Storage

// ListEntitlements and ExplainAccess.

extension EntitlementService {
  /// Lists what a customer may use, and what they could have and may not.
  func listEntitlements<Reply>(_ call: Call<Reply>) {
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

  /// Says of each transaction and manual grant of a customer what it grants, or which rule stops it and since when.
  func explain<Reply>(_ call: Call<Reply>) {
    guard let request = call.request(ExplainAccessRequest.self) else { return }
    call.answer { () throws(Status) in
      let customer = try Field.id(request.customerID, named: "customer_id")
      let entitlement = request.entitlement.isEmpty ? nil : try Field.id(request.entitlement, named: "entitlement")
      let moment = try Field.moment(request.atTimeMilliseconds, named: "at_time_ms") ?? now
      return store.read { ledger, revision in
        ExplainAccessResponse(ledger, customer: customer, entitlement: entitlement, at: moment, revision: revision)
      }
    }
  }

  /// The wall clock's moment.
  var now: Moment { Moment(milliseconds: Clock.wallMilliseconds()) }
}

extension ExplainAccessResponse {
  fileprivate init(_ ledger: Ledger, customer: CustomerID, entitlement: Identifier?, at moment: Moment, revision: UInt64) {
    self.init()
    self.revision = revision
    let access = ledger.access(of: customer)
    customerKnown = access != nil
    if let entitlement {
      answers = [EntitlementAnswer(entitlement, access?.decision(for: entitlement, at: moment) ?? .denied(.unknownCustomer))]
    } else {
      answers = (access?.timelines ?? []).map { EntitlementAnswer($0.entitlement, $0.timeline.decision(at: moment)) }
    }
    transactions = ledger.explain(customer, entitlement: entitlement, at: moment).map { TransactionExplanation($0) }
    grants = ledger.explainGrants(of: customer, entitlement: entitlement, at: moment).map { LatchkeyWire.GrantExplanation($0) }
  }
}

extension TransactionExplanation {
  fileprivate init(_ explanation: Explanation) {
    self.init()
    transaction = LatchkeyWire.Transaction(explanation.record.transaction)
    entitlements = explanation.entitlements.map(\.text)
    grants = explanation.grants
    reason = LatchkeyWire.Reason(explanation.reason ?? .neverOwned)
    sinceMilliseconds = explanation.since.flatMap { $0 == .distantPast ? nil : $0.milliseconds }
    untilMilliseconds = explanation.until?.milliseconds
    sentence = explanation.sentence
    linkedPurchases = explanation.linkedPurchases.map(\.text)
  }
}

extension LatchkeyWire.GrantExplanation {
  fileprivate init(_ explanation: Entitlements.GrantExplanation) {
    self.init()
    grant = LatchkeyWire.ManualGrant(explanation.grant)
    grants = explanation.grants
    reason = LatchkeyWire.Reason(explanation.reason)
    sinceMilliseconds = explanation.since?.milliseconds
    untilMilliseconds = explanation.until?.milliseconds
    sentence = explanation.sentence
  }
}

extension EntitlementAnswer {
  fileprivate init(_ entitlement: Identifier, _ answer: AccessBlock.Answer) {
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
