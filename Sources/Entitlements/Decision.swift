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
  @inlinable @inline(__always) package var allows: Bool { rawValue < Reason.unknownCustomer.rawValue }
}

/// The answer to one question: may this customer use this entitlement at this moment?
package struct Decision: Hashable, Sendable, BitwiseCopyable {
  package var reason: Reason
  /// When access ends if nothing else happens; `distantFuture` if never. Only of an allowed answer.
  package var validUntil: Moment?
  /// Whether the transaction that answers is shared; nil where a manual grant does. Only of an allowed answer.
  package var isShared: Bool?

  @inlinable @inline(__always) package var isAllowed: Bool { reason.allows }

  /// The same as Apple's word.
  package var ownership: Ownership? { isShared.map { $0 ? .familyShared : .purchased } }

  package init(reason: Reason, validUntil: Moment? = nil, isShared: Bool? = nil) {
    self.reason = reason
    self.validUntil = validUntil
    self.isShared = isShared
  }

  /// Makes an answer of a transaction whose ownership is a known one: no other grants.
  package init(reason: Reason, validUntil: Moment?, ownership: Ownership) {
    self.init(reason: reason, validUntil: validUntil, isShared: ownership == .familyShared)
  }

  /// A denial.
  package static func denied(_ reason: Reason) -> Decision { Decision(reason: reason) }
}
