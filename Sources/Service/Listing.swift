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
      return ExplainAccessResponse(store.readState { ReadExplanation($0, of: customer, entitlement, at: moment) })
    }
  }

  /// The wall clock's moment.
  var now: Moment { Moment(milliseconds: Clock.wallMilliseconds()) }
}

/// What an explanation rests on, as of one revision; made an answer without holding up recordings.
private struct ReadExplanation: Sendable {
  let revision: UInt64
  /// Nil for one who holds nothing.
  let answers: [(entitlement: Identifier, answer: AccessBlock.Answer)]?
  /// The entitlement asked about; nil: all.
  let entitlement: Identifier?
  let transactions: [Explanation]
  let grants: [Entitlements.GrantExplanation]

  init(_ reading: StoreReading, of customer: CustomerID, _ entitlement: Identifier?, at moment: Moment) {
    self.entitlement = entitlement
    revision = reading.revision
    answers = reading.answers(of: customer, at: moment)
    transactions = reading.ledger.explain(customer, entitlement: entitlement, at: moment)
    grants = reading.ledger.explainGrants(of: customer, entitlement: entitlement, at: moment)
  }
}

extension ExplainAccessResponse {
  fileprivate init(_ reading: ReadExplanation) {
    self.init()
    revision = reading.revision
    customerKnown = reading.answers != nil
    if let entitlement = reading.entitlement {
      let found = reading.answers.map { answers in answers.first { $0.entitlement == entitlement }?.answer ?? .neverOwned }
      answers = [EntitlementAnswer(entitlement, found ?? .unknownCustomer)]
    } else {
      answers = (reading.answers ?? []).map { EntitlementAnswer($0.entitlement, $0.answer) }
    }
    transactions = reading.transactions.map(\.message)
    grants = reading.grants.map { LatchkeyWire.GrantExplanation($0) }
  }
}

extension Explanation {
  /// The same in the terms of the wire.
  fileprivate var message: TransactionExplanation {
    var message = TransactionExplanation()
    message.transaction = record.transaction.message()
    message.entitlements = entitlements.map(\.text)
    message.grants = grants
    message.reason = LatchkeyWire.Reason(reason ?? .neverOwned)
    message.sinceMilliseconds = since.flatMap { $0 == .distantPast ? nil : $0.milliseconds }
    message.untilMilliseconds = until?.milliseconds
    message.sentence = sentence
    message.linkedPurchases = linkedPurchases.map(\.text)
    return message
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
