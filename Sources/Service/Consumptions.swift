import Entitlements
import LatchkeyWire
import Platform
import Storage

// GetConsumption.

extension EntitlementService {
  /// Gives what is known for the answer to Apple's CONSUMPTION_REQUEST about a purchase.
  func consumption(_ call: Call) {
    guard let request = call.request(GetConsumptionRequest.self) else { return }
    call.answer { () throws(Status) in
      let transaction = try Field.id(request.transactionID, named: "transaction_id")
      let environment = try Field.environment(request.environment)
      let customer = request.customerID.isEmpty ? nil : try Field.id(request.customerID, named: "customer_id")
      let moment = now
      let found: Result<GetConsumptionResponse, Status> = store.readState { reading in
        do throws(Status) {
          let subject = try ConsumptionSubject(transaction, in: environment, of: customer, reading.ledger)
          return .success(GetConsumptionResponse(subject, reading, at: moment))
        } catch {
          return .failure(error)
        }
      }
      return try found.get()
    }
  }
}

/// The purchase that Apple asks about, with whose it is.
private struct ConsumptionSubject {
  let number: RecordNumber
  let customer: CustomerID

  /// - Throws: `NOT_FOUND` for what isn't on record, `FAILED_PRECONDITION` for what isn't the customer's own purchase.
  init(
    _ transaction: Identifier, in environment: Entitlements.Environment?, of customer: CustomerID?, _ ledger: Ledger
  ) throws(Status) {
    let environment = environment ?? ledger.settings.environment
    guard let number = ledger.number(of: ScopedID(environment, transaction)) else {
      throw Status(.notFound, "transaction_id: no \(environment.text) transaction \(transaction) is on record")
    }
    let record = ledger.records[number]
    guard record.transaction.ownership == .purchased else {
      throw Status(
        .failedPrecondition,
        "transaction_id: \(transaction) is a copy of someone else's purchase; Apple asks about the purchase that is shared")
    }
    guard let holder = record.holders.first else {
      throw Status(
        .failedPrecondition,
        "transaction_id: nobody holds \(transaction), so nothing is known of its use; record it with its customer first")
    }
    if let customer, !record.holders.contains(customer) {
      throw Status(.failedPrecondition, "customer_id: \(transaction) is the purchase of another customer than \(customer)")
    }
    self.number = number
    self.customer = customer ?? holder
  }
}

extension GetConsumptionResponse {
  fileprivate init(_ subject: ConsumptionSubject, _ reading: StoreReading, at now: Moment) {
    self.init()
    let transaction = reading.ledger.records[subject.number].transaction
    let known = reading.ledger.consumption(of: subject.number, by: subject.customer, at: now, reading)
    revision = reading.revision
    (customerID, transactionID, productID) = (
      subject.customer.text, transaction.transactionID.text, transaction.productID.text
    )
    deliveryStatus = known.isDelivered.map { $0 ? "DELIVERED" : "UNDELIVERED_OTHER" } ?? ""
    consumptionPercentage = known.percentage
    consumptionStatus = Int32(known.status)
    accountTenure = Int32(known.accountTenure(at: now))
    lifetimeDollarsPurchased = known.dollarClass(of: known.purchased).map { Int32($0) }
    lifetimeDollarsRefunded = known.dollarClass(of: known.refunded).map { Int32($0) }
    appAccountToken = transaction.appAccountToken ?? ""
    checks = LatchkeyWire.CheckCount(known.checks)
    lastUsedMilliseconds = known.lastUsed?.milliseconds ?? 0
    customerSinceMilliseconds = known.customerSince?.milliseconds ?? 0
    (purchased, refunded) = (CurrencyAmount.amounts(known.purchased), CurrencyAmount.amounts(known.refunded))
    refunds = Int64(known.refunds)
    leftOut = LeftOut.always + LeftOut.of(self)
  }
}

extension LeftOut {
  private init(_ field: String, _ reason: String) {
    self.init()
    (self.field, self.reason) = (field, reason)
  }

  /// What only the app and its operator know.
  fileprivate static let always = [
    LeftOut("customerConsented", "only the app knows whether the customer agreed; without consent, don't answer Apple"),
    LeftOut("sampleContentProvided", "only the app knows whether there was a sample or trial"),
    LeftOut("refundPreference", "it is for you to say what you prefer"),
    LeftOut("platform", "no transaction tells where it was used"),
    LeftOut("playTime", "checks are counted, not the time between them"),
    LeftOut("userStatus", "the account is the app's"),
  ]

  /// What isn't known of this purchase.
  fileprivate static func of(_ response: GetConsumptionResponse) -> [LeftOut] {
    let money = "some purchases have no price, or one in another currency than US dollars"
    let missing: [(Bool, LeftOut)] = [
      (response.deliveryStatus.isEmpty, LeftOut("deliveryStatus", "a consumable is delivered by the app")),
      (response.consumptionPercentage == nil, LeftOut("consumptionPercentage", "it has no period of which a part could be over")),
      (response.consumptionStatus == 0, LeftOut("consumptionStatus", "what becomes of a consumable is the app's to know")),
      (response.accountTenure == 0, LeftOut("accountTenure", "no purchase of the customer has a date")),
      (response.lifetimeDollarsPurchased == nil, LeftOut("lifetimeDollarsPurchased", money)),
      (response.lifetimeDollarsRefunded == nil, LeftOut("lifetimeDollarsRefunded", money)),
      (response.appAccountToken.isEmpty, LeftOut("appAccountToken", "the purchase carries none")),
    ]
    return missing.filter(\.0).map(\.1)
  }
}
