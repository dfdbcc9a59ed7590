/// Whose a recorded transaction is.
struct Attribution: Hashable, Sendable {
  /// Who held something of the set before, first holder first.
  var before: [CustomerID]
  /// The customers of the recording: the one it names, else those it was found to belong to.
  var customers: [CustomerID]
  /// What becomes of the set.
  var claim: Claim

  enum Claim: Hashable, Sendable {
    /// Nobody is known.
    case none
    /// Whatever of the set nobody holds yet goes to these.
    case fill([CustomerID])
    /// All of the set goes to this customer alone.
    case move(CustomerID)
    /// This customer joins the holders of all of the set.
    case join(CustomerID)
    /// The first holder stays.
    case refused
  }
}

extension Ledger {
  /// Decides whose a transaction is, with the given version as its newest.
  ///
  /// In this order: the customer that the caller names; whoever holds what it is held together with; then, each only if just one
  /// customer fits, whoever holds that original transaction id with the same ownership, whoever holds that account, the account
  /// token if the settings say so.
  func attribute(_ version: Transaction, number: RecordNumber?, others: [RecordNumber], named customer: CustomerID?)
    -> Attribution
  {
    var holders = DistinctNumbers<CustomerNumber>()
    if let number { records.forEachHolder(of: number) { holders.insert($0) } }
    for member in others { records.forEachHolder(of: member) { holders.insert($0) } }
    let before = holders.numbers.map { records.id(of: $0) }
    if let customer {
      let customers = [customer]
      return Attribution(before: before, customers: customers, claim: claim(by: customer, alone: customers, holders: before))
    }
    let customers = before.isEmpty ? find(version).map { [$0] } ?? [] : before
    return Attribution(before: before, customers: customers, claim: customers.isEmpty ? .none : .fill(customers))
  }

  private func claim(by customer: CustomerID, alone: [CustomerID], holders: [CustomerID]) -> Attribution.Claim {
    if holders.isEmpty { return .fill(alone) }
    if holders.contains(customer) { return .fill(holders) }
    switch settings.transferPolicy {
    case .move: return .move(customer)
    case .keep: return .refused
    case .share: return .join(customer)
    }
  }

  /// The one customer whom a transaction fits that nobody holds.
  private func find(_ version: Transaction) -> CustomerID? {
    let account = accountNumber(of: version)
    let sameLineage = transactions(of: lineage(of: version)).filter { number in
      guard records.ownership(of: number) == version.ownership else { return false }
      let another = records.packed(number).account
      guard version.ownership == .familyShared, !account.isNone, !another.isNone else { return true }
      return account == another
    }
    if let customer = onlyHolder(of: sameLineage) { return customer }
    if let customer = onlyHolder(of: records.records(of: account)) { return customer }
    guard settings.customerFromAppAccountToken, let token = version.appAccountToken else { return nil }
    let customer = CustomerID(token)
    return customer.isAcceptable ? customer : nil
  }

  /// The customer who holds some of these records, if it is just one.
  private func onlyHolder(of numbers: [RecordNumber]) -> CustomerID? {
    var only: CustomerNumber?
    for number in numbers {
      for holder in records.holders(of: number) {
        if let only, only != holder { return nil }
        only = holder
      }
    }
    return only.map { records.id(of: $0) }
  }
}
