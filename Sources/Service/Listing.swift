import Entitlements
import LatchkeyWire
import Platform
import Protobuf
import Storage

// ListEntitlements and ExplainAccess.

extension EntitlementService {
  /// Lists what a customer may use, and what they could have and may not.
  func listEntitlements<Reply>(_ call: Call<Reply>) {
    guard let request = call.request(ListEntitlementsRequest.self) else { return }
    guard request.minRevision <= store.revision else {
      whenReached(request.minRevision, call) { self.histories.run(call) { self.listEntitlements($0) } }
      return
    }
    answering(call) { () throws(Status) in
      let customer = try Field.id(request.customerID, named: "customer_id")
      let moment = try Field.moment(request.atTimeMilliseconds, named: "at_time_ms") ?? now
      var response = ListEntitlementsResponse()
      response.revision = store.revision
      if let answers = store.cache.answers(of: customer, at: moment) {
        response.customerKnown = true
        response.entitlements = answers.map { EntitlementAnswer($0.entitlement, $0.answer) }
      }
      return response
    }
  }

  /// Says of each transaction of a customer what it grants, or which rule stops it and since when.
  func explain<Reply>(_ call: Call<Reply>) {
    guard let request = call.request(ExplainAccessRequest.self) else { return }
    answering(call) { () throws(Status) in
      let customer = try Field.id(request.customerID, named: "customer_id")
      let entitlement = request.entitlement.isEmpty ? nil : try Field.id(request.entitlement, named: "entitlement")
      let moment = try Field.moment(request.atTimeMilliseconds, named: "at_time_ms") ?? now
      return store.read { ledger, revision in
        ExplainAccessResponse(ledger, customer: customer, entitlement: entitlement, at: moment, revision: revision)
      }
    }
  }

  var now: Moment { Moment(milliseconds: Clock.wallMilliseconds()) }

  /// Answers a call with what the body gives or throws.
  func answering<Reply, Response: Message>(_ call: Call<Reply>, _ body: () throws(Status) -> Response) {
    do throws(Status) { call.finish(try body()) } catch { call.fail(error) }
  }
}

extension ExplainAccessResponse {
  init(_ ledger: Ledger, customer: CustomerID, entitlement: Identifier?, at moment: Moment, revision: UInt64) {
    self.init()
    self.revision = revision
    let access = ledger.access(of: customer)
    customerKnown = access != nil
    let names = entitlement.map { [$0] } ?? access?.timelines.map(\.entitlement) ?? []
    answers = names.map { name in
      EntitlementAnswer(name, access?.decision(for: name, at: moment) ?? .denied(.unknownCustomer))
    }
    transactions = ledger.explain(customer, entitlement: entitlement, at: moment).map { TransactionExplanation($0) }
  }
}

extension TransactionExplanation {
  init(_ explanation: Explanation) {
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

extension EntitlementAnswer {
  init(_ entitlement: Identifier, _ answer: AccessBlock.Answer) {
    self.init()
    self.entitlement = entitlement.text
    let wire = CheckAccessAnswer(answer, revision: 0)
    allowed = wire.allowed
    reason = wire.reason
    validUntilMilliseconds = wire.validUntilMilliseconds
    ownership = wire.ownership
  }

  init(_ entitlement: Identifier, _ decision: Decision) {
    self.init()
    self.entitlement = entitlement.text
    allowed = decision.isAllowed
    reason = LatchkeyWire.Reason(decision.reason)
    validUntilMilliseconds = decision.validUntil.flatMap { $0 == .distantFuture ? nil : $0.milliseconds }
    ownership = decision.ownership.map { LatchkeyWire.Ownership.pair($0).0 } ?? .unspecified
  }
}
