extension Ledger {
  /// How many manual grants one customer may have, over ones included.
  package static let grantLimit = 1_000

  /// Gives or takes back an entitlement, as an operator says.
  ///
  /// The very same grant again changes nothing, even after it was taken back. Neither does taking back what is over by then.
  ///
  /// - Precondition: the granting was validated.
  /// - Throws: `Refusal` where the customer has too many grants, or none that could be taken back; the ledger is then unchanged.
  package mutating func grant(_ granting: Granting) throws(Refusal) -> Recorded {
    guard try changes(by: granting) else { return Recorded(outcome: .duplicate, customer: granting.customer) }
    switch granting.act {
    case .give(let from, let until):
      grants[granting.customer, default: []].append(ManualGrant(granting, from: from, until: until))
    case .takeBack(let moment): takeBack(granting, at: moment)
    }
    return Recorded(outcome: .applied, customer: granting.customer, affected: [granting.customer])
  }

  /// Whether a granting would change anything.
  ///
  /// - Throws: `Refusal` where `grant` would throw it.
  package func changes(by granting: Granting) throws(Refusal) -> Bool {
    let held = grants[granting.customer] ?? []
    switch granting.act {
    case .give(let from, let until):
      let grant = ManualGrant(granting, from: from, until: until)
      if held.contains(where: { $0.isSame(as: grant) }) { return false }
      guard held.count < Ledger.grantLimit else {
        throw .precondition(
          field: "customer_id", problem: "\(granting.customer) has \(held.count) manual grants, and more aren't taken")
      }
      return true
    case .takeBack(let moment):
      let ofEntitlement = held.filter { $0.entitlement == granting.entitlement }
      guard !ofEntitlement.isEmpty else {
        throw .precondition(
          field: "entitlement",
          problem: "\(granting.customer) has no manual grant of \(granting.entitlement) that could be taken back")
      }
      return ofEntitlement.contains { $0.end > moment }
    }
  }

  private mutating func takeBack(_ granting: Granting, at moment: Moment) {
    var held = grants[granting.customer] ?? []
    for index in held.indices where held[index].entitlement == granting.entitlement && held[index].end > moment {
      held[index].takenBack = ManualGrant.TakingBack(at: moment, by: granting.by, note: granting.note)
    }
    grants[granting.customer] = held
  }

  /// Puts back a customer's grants, as a snapshot does.
  package mutating func restore(_ grants: [ManualGrant], of customer: CustomerID) { self.grants[customer] = grants }
}

extension ManualGrant {
  fileprivate init(_ granting: Granting, from: Moment, until: Moment?) {
    self.init(
      entitlement: granting.entitlement, from: from, until: until, by: granting.by, note: granting.note,
      recordedAt: granting.recordedAt)
  }
}
