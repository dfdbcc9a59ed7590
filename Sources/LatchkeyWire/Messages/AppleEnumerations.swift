import Protobuf

/// The kind of product that was bought, as Apple names it.
public struct ProductType: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let unspecified = ProductType(rawValue: 0)
  public static let autoRenewableSubscription = ProductType(rawValue: 1)
  public static let nonConsumable = ProductType(rawValue: 2)
  public static let nonRenewingSubscription = ProductType(rawValue: 3)
  public static let consumable = ProductType(rawValue: 4)
  public static let other = ProductType(rawValue: 15)

  public static let names: [(value: ProductType, name: String)] = [
    (.unspecified, "UNSPECIFIED"),
    (.autoRenewableSubscription, "AUTO_RENEWABLE_SUBSCRIPTION"),
    (.nonConsumable, "NON_CONSUMABLE"),
    (.nonRenewingSubscription, "NON_RENEWING_SUBSCRIPTION"),
    (.consumable, "CONSUMABLE"),
    (.other, "OTHER"),
  ]
}

/// How the customer came by a purchase.
public struct Ownership: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let unspecified = Ownership(rawValue: 0)
  public static let purchased = Ownership(rawValue: 1)
  public static let familyShared = Ownership(rawValue: 2)
  public static let other = Ownership(rawValue: 15)

  public static let names: [(value: Ownership, name: String)] = [
    (.unspecified, "UNSPECIFIED"),
    (.purchased, "PURCHASED"),
    (.familyShared, "FAMILY_SHARED"),
    (.other, "OTHER"),
  ]
}

/// Which of Apple's stores signed a transaction.
public struct Environment: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let unspecified = Environment(rawValue: 0)
  public static let production = Environment(rawValue: 1)
  public static let sandbox = Environment(rawValue: 2)
  public static let xcode = Environment(rawValue: 3)
  public static let localTesting = Environment(rawValue: 4)
  public static let other = Environment(rawValue: 15)

  public static let names: [(value: Environment, name: String)] = [
    (.unspecified, "UNSPECIFIED"),
    (.production, "PRODUCTION"),
    (.sandbox, "SANDBOX"),
    (.xcode, "XCODE"),
    (.localTesting, "LOCAL_TESTING"),
    (.other, "OTHER"),
  ]
}

/// Why Apple took a purchase back, in Apple's own numbers.
public struct RevocationReason: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let other = RevocationReason(rawValue: 0)
  public static let developerIssue = RevocationReason(rawValue: 1)
  public static let upgradedToBundle = RevocationReason(rawValue: 1000)
  /// A reason that this schema doesn't name; the raw one travels beside it.
  public static let unnamed = RevocationReason(rawValue: 1001)

  public static let names: [(value: RevocationReason, name: String)] = [
    (.other, "OTHER"),
    (.developerIssue, "DEVELOPER_ISSUE"),
    (.upgradedToBundle, "UPGRADED_TO_BUNDLE"),
    (.unnamed, "UNNAMED"),
  ]
}

/// How Apple took a purchase back.
public struct RevocationType: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let unspecified = RevocationType(rawValue: 0)
  public static let refundFull = RevocationType(rawValue: 1)
  public static let refundProrated = RevocationType(rawValue: 2)
  public static let familyRevoke = RevocationType(rawValue: 3)
  public static let other = RevocationType(rawValue: 15)

  public static let names: [(value: RevocationType, name: String)] = [
    (.unspecified, "UNSPECIFIED"),
    (.refundFull, "REFUND_FULL"),
    (.refundProrated, "REFUND_PRORATED"),
    (.familyRevoke, "FAMILY_REVOKE"),
    (.other, "OTHER"),
  ]
}
