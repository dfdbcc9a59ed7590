import Entitlements

extension AccessChange {
  /// What a customer gained and lost between two compiled answers, nil for one who holds nothing, at one moment; in the order of
  /// the entitlements' names.
  static func between(
    _ before: AccessBlock?, _ after: AccessBlock?, of customer: CustomerID, at moment: Moment, _ names: EntitlementNames
  ) -> [AccessChange] {
    let known = unsafe after?.names ?? []
    let gone = unsafe (before?.names ?? []).filter { number in unsafe after?.entry(of: number) == nil }
    let changes = (known + gone).compactMap { number -> AccessChange? in
      let old = unsafe before?.answer(name: number, at: moment.milliseconds) ?? .unknownCustomer
      let new = unsafe after?.answer(name: number, at: moment.milliseconds) ?? .unknownCustomer
      return AccessChange(of: customer, names.name(of: number), from: old.reason, to: new.reason)
    }
    return changes.sorted { $0.entitlement < $1.entitlement }
  }

  /// What a customer gained and lost between two folds of their history, at one moment.
  package static func between(
    _ before: CustomerAccess?, _ after: CustomerAccess?, of customer: CustomerID, at moment: Moment
  ) -> [AccessChange] {
    let entitlements = Set((before?.timelines ?? []).map(\.entitlement) + (after?.timelines ?? []).map(\.entitlement))
    return entitlements.sorted().compactMap { entitlement in
      let old = before?.decision(for: entitlement, at: moment).reason ?? .unknownCustomer
      let new = after?.decision(for: entitlement, at: moment).reason ?? .unknownCustomer
      return AccessChange(of: customer, entitlement, from: old, to: new)
    }
  }

  /// Nil where the two reasons allow the same.
  private init?(
    of customer: CustomerID, _ entitlement: @autoclosure () -> Identifier, from before: Reason, to after: Reason
  ) {
    guard before.allows != after.allows else { return nil }
    self.init(customer: customer, entitlement: entitlement(), reason: after)
  }
}
