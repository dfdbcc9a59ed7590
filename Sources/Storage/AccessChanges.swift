import Entitlements

extension AccessChange {
  /// What a customer gained and lost between two states, in the order of the entitlements' names.
  ///
  /// - Parameters:
  ///   - entitlements: every name that one of the two states knows.
  ///   - before: the reason of an entitlement's answer in the earlier state.
  ///   - after: the same in the later one.
  static func between(
    _ entitlements: Set<Identifier>, of customer: CustomerID, before: (Identifier) -> Reason, after: (Identifier) -> Reason
  ) -> [AccessChange] {
    entitlements.sorted().compactMap { entitlement in
      let reason = after(entitlement)
      guard before(entitlement).allows != reason.allows else { return nil }
      return AccessChange(customer: customer, entitlement: entitlement, reason: reason)
    }
  }

  /// What a customer gained and lost between two folds of their history, at one moment.
  package static func between(
    _ before: CustomerAccess?, _ after: CustomerAccess?, of customer: CustomerID, at moment: Moment
  ) -> [AccessChange] {
    between(
      Set((before?.timelines ?? []).map(\.entitlement) + (after?.timelines ?? []).map(\.entitlement)), of: customer,
      before: { before?.decision(for: $0, at: moment).reason ?? .unknownCustomer },
      after: { after?.decision(for: $0, at: moment).reason ?? .unknownCustomer })
  }
}
