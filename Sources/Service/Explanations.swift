import Entitlements
import LatchkeyWire
import Platform
import Protobuf
import Storage

// ExplainAccess.

extension EntitlementService {
  /// Says of each transaction and manual grant of a customer what it grants, or which rule stops it and since when.
  func explain(_ call: Call) {
    guard let request = call.request(ExplainAccessRequest.self) else { return }
    call.answerWithBytes { () throws(Status) in
      let customer = try Field.id(request.customerID, named: "customer_id")
      let entitlement = request.entitlement.isEmpty ? nil : try Field.id(request.entitlement, named: "entitlement")
      let moment = try Field.moment(request.atTimeMilliseconds, named: "at_time_ms") ?? now
      return store.readState { WholeExplanation($0, of: customer, entitlement, at: moment) }.encoded()
    }
  }
}

/// What an explanation rests on, as of one revision; made an answer without holding up recordings.
private struct WholeExplanation: Sendable {
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

  /// The bytes of an ``ExplainAccessResponse``, whose transactions are written one by one.
  consuming func encoded() -> [UInt8] {
    var encoder = MessageEncoder(roomFor: 512 * (transactions.count + 1))
    var head = ExplainAccessResponse()
    head.answers = wireAnswers
    head.encode(into: &encoder)
    var pauses = CorePauses()
    for index in transactions.indices {
      encoder.append(2) { encoder in encoder.append(fieldsOf: transactions[index]) }
      pauses.yieldIfDue()
    }
    var rest = ExplainAccessResponse()
    rest.revision = revision
    rest.customerKnown = answers != nil
    rest.grants = grants.map { LatchkeyWire.GrantExplanation($0) }
    rest.encode(into: &encoder)
    return encoder.bytes
  }

  private var wireAnswers: [EntitlementAnswer] {
    guard let entitlement else { return (answers ?? []).map { EntitlementAnswer($0.entitlement, $0.answer) } }
    let found = answers.map { answers in answers.first { $0.entitlement == entitlement }?.answer ?? .neverOwned }
    return [EntitlementAnswer(entitlement, found ?? .unknownCustomer)]
  }
}

extension MessageEncoder {
  /// Writes the fields of a ``TransactionExplanation``: its transaction, which is the first, and what is said of it.
  fileprivate mutating func append(fieldsOf explanation: Explanation) {
    append(1, explanation.record.transaction)
    var rest = TransactionExplanation()
    rest.entitlements = explanation.entitlements.map(\.text)
    rest.grants = explanation.grants
    rest.reason = LatchkeyWire.Reason(explanation.reason ?? .neverOwned)
    rest.sinceMilliseconds = explanation.since.flatMap { $0 == .distantPast ? nil : $0.milliseconds }
    rest.untilMilliseconds = explanation.until?.milliseconds
    rest.sentence = explanation.sentence
    rest.linkedPurchases = explanation.linkedPurchases.map(\.text)
    rest.encode(into: &self)
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
