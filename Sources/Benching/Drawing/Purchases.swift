import LatchkeyWire

extension Population {
  /// What Apple would have signed about a household until a moment: the purchase, its renewals, what reached the family by Family
  /// Sharing, and the refund if there was one. They may be recorded in any order.
  /// - Parameter now: milliseconds since 1970; the last period began 15 days before.
  package func recordings(of household: Household, at now: Int64) -> [RecordTransactionRequest] {
    let payments = (0..<household.periods).map { payment($0, of: household, at: now) }
    var requests = payments.map { recording($0, for: household.people.lowerBound) }
    let original = payments[0].transactionID
    for (part, member) in household.people.dropFirst().enumerated() {
      var shared = payments[household.periods - 1]
      shared.transactionID = transactionID(household, part: 8 + part)
      shared.originalTransactionID = shared.transactionID
      shared.ownership = .familyShared
      var request = recording(shared, for: member)
      request.sharedFrom = [original]
      requests.append(request)
    }
    if household.isRefunded, let last = payments.last {
      requests.append(recording(refund(of: last, at: now), for: household.people.lowerBound))
    }
    return requests
  }

  private static let day: Int64 = 86_400_000

  private func payment(_ period: Int, of household: Household, at now: Int64) -> Transaction {
    let begin = now - (15 + 30 * Int64(household.periods - 1 - period)) * Population.day
    return .with {
      $0.transactionID = transactionID(household, part: period)
      $0.originalTransactionID = transactionID(household, part: 0)
      $0.productID = household.product.rawValue
      $0.type = household.product == .monthly ? .autoRenewableSubscription : .nonConsumable
      $0.purchaseDateMilliseconds = begin
      if household.product == .monthly { $0.expiresDateMilliseconds = begin + 30 * Population.day }
      $0.signedDateMilliseconds = begin
      ($0.priceMilliunits, $0.currency) = (household.product == .monthly ? 4_990 : 29_990, "USD")
    }
  }

  private func refund(of payment: Transaction, at now: Int64) -> Transaction {
    var refund = payment
    refund.revocationDateMilliseconds = now - Population.day
    refund.revocationReason = .other
    refund.signedDateMilliseconds = now - Population.day
    return refund
  }

  private func recording(_ transaction: Transaction, for customer: Int) -> RecordTransactionRequest {
    .with {
      $0.customerID = id(of: customer).text
      $0.transaction = transaction
    }
  }

  private func transactionID(_ household: Household, part: Int) -> String {
    TransactionID(number(household.people.lowerBound, .transaction, part)).text
  }
}
