import Entitlements
import LatchkeyWire

// Pieces of a state between the domain's values and the entries of schema/storage.proto.

extension StoredEntry {
  init(_ piece: Restoration) {
    self.init()
    switch piece {
    case .settings(let piece): settings = StoredSettings(piece)
    case .catalog(let piece): catalog = StoredCatalog(piece)
    case .tombstone(let piece, let place): (tombstone, self.place) = (StoredTombstone(piece), Int64(place))
    case .anonymousRecord(let piece, let place): (record, self.place) = (StoredRecord(piece), Int64(place))
    case .record(let piece): record = StoredRecord(piece)
    case .renewalInfo(let piece): renewalInfo = LatchkeyWire.RenewalInfo(piece)
    case .grants(let grants, let customer):
      customerGrants = .with {
        ($0.customerID, $0.grants) = (customer.text, grants.map { LatchkeyWire.ManualGrant($0) })
      }
    }
  }

  /// The piece of a state that this is; nil for counts, for none, and for one that lacks its place.
  var restoration: Restoration? {
    if let settings { return .settings(Settings(settings)) }
    if let catalog { return .catalog(Catalog(catalog)) }
    if let tombstone, let place { return .tombstone(Tombstone(tombstone), place: Int(clamping: place)) }
    if let renewalInfo { return .renewalInfo(Entitlements.RenewalInfo(renewalInfo)) }
    if let customerGrants {
      return .grants(customerGrants.grants.map { Entitlements.ManualGrant($0) }, of: CustomerID(customerGrants.customerID))
    }
    guard let record = record.map({ Record($0) }) else { return nil }
    if !record.isAnonymous { return .record(record) }
    return place.map { .anonymousRecord(record, place: Int(clamping: $0)) }
  }
}

extension Ledger {
  /// Puts back what an entry of a snapshot holds; records come in no order, and are in one when all were told to be there.
  ///
  /// - Returns: false where it is of a kind that this version doesn't know, or no part of the state, as counts are.
  mutating func restore(_ entry: StoredEntry, _ records: inout RestoredRecords) -> Bool {
    if let settings = entry.settings {
      replace(settings: Settings(settings))
    } else if let catalog = entry.catalog {
      replace(catalog: Catalog(catalog))
    } else if let record = entry.record {
      records.add(Record(record), number: entry.recordNumber, to: &self)
    } else if let info = entry.renewalInfo {
      restore(Entitlements.RenewalInfo(info))
    } else if let given = entry.customerGrants {
      restore(given.grants.map { Entitlements.ManualGrant($0) }, of: CustomerID(given.customerID))
    } else if let tombstone = entry.tombstone {
      restore(Tombstone(tombstone))
    } else {
      return false
    }
    return true
  }
}
