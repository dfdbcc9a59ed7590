import Protobuf

/// Why access is allowed or denied.
public struct Reason: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let unspecified = Reason(rawValue: 0)
  public static let purchased = Reason(rawValue: 1)
  public static let familyShared = Reason(rawValue: 2)
  public static let gracePeriod = Reason(rawValue: 3)
  public static let manualGrant = Reason(rawValue: 4)
  public static let unknownCustomer = Reason(rawValue: 16)
  public static let neverOwned = Reason(rawValue: 17)
  public static let notYetValid = Reason(rawValue: 18)
  public static let expired = Reason(rawValue: 19)
  public static let billingRetry = Reason(rawValue: 20)
  public static let refunded = Reason(rawValue: 21)
  public static let familyAccessEnded = Reason(rawValue: 22)
  public static let sharedPurchaseRefunded = Reason(rawValue: 23)
  public static let upgraded = Reason(rawValue: 24)
  public static let consumable = Reason(rawValue: 25)
  public static let grantEnded = Reason(rawValue: 26)

  public static let names: [(value: Reason, name: String)] = [
    (.unspecified, "UNSPECIFIED"),
    (.purchased, "PURCHASED"),
    (.familyShared, "FAMILY_SHARED"),
    (.gracePeriod, "GRACE_PERIOD"),
    (.manualGrant, "MANUAL_GRANT"),
    (.unknownCustomer, "UNKNOWN_CUSTOMER"),
    (.neverOwned, "NEVER_OWNED"),
    (.notYetValid, "NOT_YET_VALID"),
    (.expired, "EXPIRED"),
    (.billingRetry, "BILLING_RETRY"),
    (.refunded, "REFUNDED"),
    (.familyAccessEnded, "FAMILY_ACCESS_ENDED"),
    (.sharedPurchaseRefunded, "SHARED_PURCHASE_REFUNDED"),
    (.upgraded, "UPGRADED"),
    (.consumable, "CONSUMABLE"),
    (.grantEnded, "GRANT_ENDED"),
  ]
}
