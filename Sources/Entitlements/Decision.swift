/// Why access is allowed or denied. The numbers are those of the schema.
package enum Reason: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  case purchased = 1
  case familyShared = 2
  case gracePeriod = 3
  case manualGrant = 4

  case unknownCustomer = 16
  case neverOwned = 17
  case notYetValid = 18
  case expired = 19
  case billingRetry = 20
  case refunded = 21
  case familyAccessEnded = 22
  case sharedPurchaseRefunded = 23
  case upgraded = 24
  case consumable = 25
  case grantEnded = 26

  /// Whether this reason allows.
  package var allows: Bool { rawValue < Reason.unknownCustomer.rawValue }
}

/// The answer to one question: may this customer use this entitlement at this moment?
package struct Decision: Hashable, Sendable {
  package var reason: Reason
  /// When access ends if nothing else happens; `distantFuture` if never. Only of an allowed answer.
  package var validUntil: Moment?
  /// Of the transaction that answers; nil where a manual grant does. Only of an allowed answer.
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
