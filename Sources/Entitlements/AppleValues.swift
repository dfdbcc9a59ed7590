/// A word of Apple's of which more may come: known ones have a case, the others keep their text.
package protocol AppleWord: Hashable, Sendable {
  /// The word as Apple writes it.
  var text: String { get }
  /// The word where it is none of the known ones.
  var unknownText: String? { get }
  init(text: String)
}

/// Apple's `type` of a product.
package enum ProductType: AppleWord {
  case autoRenewableSubscription
  case nonConsumable
  case nonRenewingSubscription
  case consumable
  case other(String)

  package init(text: String) {
    switch text {
    case "Auto-Renewable Subscription": self = .autoRenewableSubscription
    case "Non-Consumable": self = .nonConsumable
    case "Non-Renewing Subscription": self = .nonRenewingSubscription
    case "Consumable": self = .consumable
    default: self = .other(text)
    }
  }

  package var text: String {
    switch self {
    case .autoRenewableSubscription: "Auto-Renewable Subscription"
    case .nonConsumable: "Non-Consumable"
    case .nonRenewingSubscription: "Non-Renewing Subscription"
    case .consumable: "Consumable"
    case .other(let text): text
    }
  }

  package var unknownText: String? {
    if case .other(let text) = self { text } else { nil }
  }
}

/// Apple's `inAppOwnershipType`.
package enum Ownership: AppleWord {
  case purchased
  case familyShared
  case other(String)

  package init(text: String) {
    switch text {
    case "PURCHASED": self = .purchased
    case "FAMILY_SHARED": self = .familyShared
    default: self = .other(text)
    }
  }

  package var text: String {
    switch self {
    case .purchased: "PURCHASED"
    case .familyShared: "FAMILY_SHARED"
    case .other(let text): text
    }
  }

  package var unknownText: String? {
    if case .other(let text) = self { text } else { nil }
  }
}

/// Apple's `environment`.
package enum Environment: AppleWord {
  case production
  case sandbox
  case xcode
  case localTesting
  case other(String)

  package init(text: String) {
    switch text {
    case "Production": self = .production
    case "Sandbox": self = .sandbox
    case "Xcode": self = .xcode
    case "LocalTesting": self = .localTesting
    default: self = .other(text)
    }
  }

  package var text: String {
    switch self {
    case .production: "Production"
    case .sandbox: "Sandbox"
    case .xcode: "Xcode"
    case .localTesting: "LocalTesting"
    case .other(let text): text
    }
  }

  package var unknownText: String? {
    if case .other(let text) = self { text } else { nil }
  }
}

/// Apple's `revocationReason`: a number in the server API, a name in StoreKit.
package enum RevocationReason: AppleWord {
  /// `0`: an accidental purchase, a family departure, any other reason.
  case other
  /// `1`: an actual or perceived issue in the app. A cluster of these points at a broken product.
  case developerIssue
  /// StoreKit's name; the server API documents no number. Not a refund.
  case upgradedToBundle
  case unnamed(String)

  package init(text: String) {
    switch text {
    case "0": self = .other
    case "1": self = .developerIssue
    case "upgradedToBundle": self = .upgradedToBundle
    default: self = .unnamed(text)
    }
  }

  package var text: String {
    switch self {
    case .other: "0"
    case .developerIssue: "1"
    case .upgradedToBundle: "upgradedToBundle"
    case .unnamed(let text): text
    }
  }

  package var unknownText: String? {
    if case .unnamed(let text) = self { text } else { nil }
  }
}

/// Apple's `revocationType`, absent on older revocations.
package enum RevocationType: AppleWord {
  case refundFull
  case refundProrated
  case familyRevoke
  case other(String)

  package init(text: String) {
    switch text {
    case "REFUND_FULL": self = .refundFull
    case "REFUND_PRORATED": self = .refundProrated
    case "FAMILY_REVOKE": self = .familyRevoke
    default: self = .other(text)
    }
  }

  package var text: String {
    switch self {
    case .refundFull: "REFUND_FULL"
    case .refundProrated: "REFUND_PRORATED"
    case .familyRevoke: "FAMILY_REVOKE"
    case .other(let text): text
    }
  }

  package var unknownText: String? {
    if case .other(let text) = self { text } else { nil }
  }
}
