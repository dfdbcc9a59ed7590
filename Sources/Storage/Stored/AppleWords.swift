import Entitlements
import LatchkeyWire
import Protobuf

// Apple's words between the domain's enumerations and the numbers of the schema. A word without a number travels as OTHER with its
// raw text beside it; a number without a word keeps its digits as its text, so that it survives, and never grants.

extension Entitlements.ProductType {
  package init?(_ number: LatchkeyWire.ProductType, raw: String) {
    switch number {
    case .unspecified: return nil
    case .autoRenewableSubscription: self = .autoRenewableSubscription
    case .nonConsumable: self = .nonConsumable
    case .nonRenewingSubscription: self = .nonRenewingSubscription
    case .consumable: self = .consumable
    default: self = .other(raw.isEmpty && number != .other ? "\(number)" : raw)
    }
  }
}

extension LatchkeyWire.ProductType {
  package static func pair(_ word: Entitlements.ProductType?) -> (LatchkeyWire.ProductType, String) {
    switch word {
    case nil: (.unspecified, "")
    case .autoRenewableSubscription: (.autoRenewableSubscription, "")
    case .nonConsumable: (.nonConsumable, "")
    case .nonRenewingSubscription: (.nonRenewingSubscription, "")
    case .consumable: (.consumable, "")
    case .other(let text): (.other, text)
    }
  }
}

extension Entitlements.Ownership {
  /// An absent ownership is a purchase.
  package init(_ number: LatchkeyWire.Ownership, raw: String) {
    switch number {
    case .unspecified, .purchased: self = .purchased
    case .familyShared: self = .familyShared
    default: self = .other(raw.isEmpty && number != .other ? "\(number)" : raw)
    }
  }
}

extension LatchkeyWire.Ownership {
  package static func pair(_ word: Entitlements.Ownership) -> (LatchkeyWire.Ownership, String) {
    switch word {
    case .purchased: (.purchased, "")
    case .familyShared: (.familyShared, "")
    case .other(let text): (.other, text)
    }
  }
}

extension Entitlements.Environment {
  package init?(_ number: LatchkeyWire.Environment, raw: String) {
    switch number {
    case .unspecified: return nil
    case .production: self = .production
    case .sandbox: self = .sandbox
    case .xcode: self = .xcode
    case .localTesting: self = .localTesting
    default: self = .other(raw.isEmpty && number != .other ? "\(number)" : raw)
    }
  }
}

extension LatchkeyWire.Environment {
  package static func pair(_ word: Entitlements.Environment?) -> (LatchkeyWire.Environment, String) {
    switch word {
    case nil: (.unspecified, "")
    case .production: (.production, "")
    case .sandbox: (.sandbox, "")
    case .xcode: (.xcode, "")
    case .localTesting: (.localTesting, "")
    case .other(let text): (.other, text)
    }
  }
}

extension Entitlements.RevocationReason {
  package init(_ number: LatchkeyWire.RevocationReason, raw: String) {
    switch number {
    case .other: self = .other
    case .developerIssue: self = .developerIssue
    case .upgradedToBundle: self = .upgradedToBundle
    default: self = .unnamed(raw.isEmpty && number != .unnamed ? "\(number)" : raw)
    }
  }
}

extension LatchkeyWire.RevocationReason {
  package static func pair(_ word: Entitlements.RevocationReason?) -> (LatchkeyWire.RevocationReason?, String) {
    switch word {
    case nil: (nil, "")
    case .other: (.other, "")
    case .developerIssue: (.developerIssue, "")
    case .upgradedToBundle: (.upgradedToBundle, "")
    case .unnamed(let text): (.unnamed, text)
    }
  }
}

extension Entitlements.RevocationType {
  package init?(_ number: LatchkeyWire.RevocationType, raw: String) {
    switch number {
    case .unspecified: return nil
    case .refundFull: self = .refundFull
    case .refundProrated: self = .refundProrated
    case .familyRevoke: self = .familyRevoke
    default: self = .other(raw.isEmpty && number != .other ? "\(number)" : raw)
    }
  }
}

extension LatchkeyWire.RevocationType {
  package static func pair(_ word: Entitlements.RevocationType?) -> (LatchkeyWire.RevocationType, String) {
    switch word {
    case nil: (.unspecified, "")
    case .refundFull: (.refundFull, "")
    case .refundProrated: (.refundProrated, "")
    case .familyRevoke: (.familyRevoke, "")
    case .other(let text): (.other, text)
    }
  }
}

extension Entitlements.Source {
  package init?(_ number: LatchkeyWire.Source) {
    switch number {
    case .serverNotification: self = .serverNotification
    case .device: self = .device
    case .serverAPI: self = .serverAPI
    case .import: self = .import
    case .operator: self = .operator
    default: return nil
    }
  }
}

extension LatchkeyWire.Source {
  package init(_ source: Entitlements.Source) {
    switch source {
    case .serverNotification: self = .serverNotification
    case .device: self = .device
    case .serverAPI: self = .serverAPI
    case .import: self = .import
    case .operator: self = .operator
    }
  }
}
