/// What decides of a transaction besides its moments: the same for all records of one ledger whose traits are the same, and that all
/// have an expiry or have none.
struct RecordTerms {
  /// Until when a transaction grants, by its type.
  enum Lasting {
    /// A type that is unknown, or none: it could never grant.
    case unknown
    /// A consumable.
    case spent
    case untilExpiry
    /// From its purchase; nil: it never ends.
    case forPeriod(AccessPeriod?)
    case endless
  }

  let lasting: Lasting
  let isShared: Bool
  let isUpgraded: Bool
  /// Why a revocation with a date ends it.
  let revocation: Reason
  /// Why one without a date does.
  let undatedRevocation: Reason
  /// Whether it could never grant: its type or ownership is unknown, or it is shared and can't be.
  let neverGrants: Bool
  /// Whether it is a consumable.
  let isSpent: Bool
  /// Whether what is known of the lineage as a whole decides, too.
  let restsOnLineage: Bool
}

extension RecordTerms {
  /// - Parameter isKnown: whether the ownership is a known one.
  init(_ lasting: Lasting, isKnown: Bool, isShared: Bool, _ traits: RecordTraits) {
    (self.lasting, self.isShared, isUpgraded) = (lasting, isShared, traits.isUpgraded)
    if traits.revocationReason == .upgradedToBundle {
      revocation = .upgraded
    } else if isShared {
      revocation = traits.revocationType == .familyRevoke ? .familyAccessEnded : .sharedPurchaseRefunded
    } else {
      revocation = .refunded
    }
    undatedRevocation = isShared ? .familyAccessEnded : .refunded
    switch lasting {
    case .unknown: (neverGrants, isSpent, restsOnLineage) = (true, false, false)
    case .spent: (neverGrants, isSpent, restsOnLineage) = (!isKnown, true, false)
    case .untilExpiry: (neverGrants, isSpent, restsOnLineage) = (!isKnown, false, true)
    case .forPeriod: (neverGrants, isSpent, restsOnLineage) = (!isKnown || isShared, false, false)
    case .endless: (neverGrants, isSpent, restsOnLineage) = (!isKnown, false, isShared)
    }
  }
}

extension Ledger {
  /// What decides of a record besides its moments.
  func terms(of record: PackedRecord) -> RecordTerms {
    let traits = records.traits[record.traits]
    switch traits.ownership {
    case .purchased: return RecordTerms(lasting(of: record), isKnown: true, isShared: false, traits)
    case .familyShared: return RecordTerms(lasting(of: record), isKnown: true, isShared: true, traits)
    case .other: return RecordTerms(lasting(of: record), isKnown: false, isShared: false, traits)
    }
  }

  private func lasting(of record: PackedRecord) -> RecordTerms.Lasting {
    let traits = records.traits[record.traits]
    switch effectiveType(traits.type, of: traits.productID, expires: record.expiresDate) {
    case nil, .other: return .unknown
    case .consumable: return .spent
    case .autoRenewableSubscription: return .untilExpiry
    case .nonRenewingSubscription: return .forPeriod(catalog.products[traits.productID]?.accessPeriod)
    case .nonConsumable: return .endless
    }
  }
}
