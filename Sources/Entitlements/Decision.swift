/// Why access is allowed or denied.
package enum Reason: String, Sendable, CaseIterable {
  case purchased = "PURCHASED"
  case familyShared = "FAMILY_SHARED"
  case gracePeriod = "GRACE_PERIOD"

  case unknownCustomer = "UNKNOWN_CUSTOMER"
  case neverOwned = "NEVER_OWNED"
  case notYetValid = "NOT_YET_VALID"
  case expired = "EXPIRED"
  case billingRetry = "BILLING_RETRY"
  case refunded = "REFUNDED"
  case familyAccessEnded = "FAMILY_ACCESS_ENDED"
  case sharedPurchaseRefunded = "SHARED_PURCHASE_REFUNDED"
  case upgraded = "UPGRADED"
  case consumable = "CONSUMABLE"

  /// Whether this reason allows.
  package var allows: Bool {
    switch self {
    case .purchased, .familyShared, .gracePeriod: true
    default: false
    }
  }
}

/// The answer to one question: may this customer use this entitlement at this moment?
package struct Decision: Hashable, Sendable {
  package var reason: Reason
  /// When access ends if nothing else happens; `distantFuture` if never. Only of an allowed answer.
  package var validUntil: Moment?
  /// Of the grant that answers. Only of an allowed answer.
  package var ownership: Ownership?

  package var isAllowed: Bool { reason.allows }

  package init(reason: Reason, validUntil: Moment? = nil, ownership: Ownership? = nil) {
    self.reason = reason
    self.validUntil = validUntil
    self.ownership = ownership
  }

  /// A denial.
  package static func denied(_ reason: Reason) -> Decision { Decision(reason: reason) }
}
