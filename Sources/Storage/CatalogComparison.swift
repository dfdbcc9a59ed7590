import Entitlements
import Platform

extension EntitlementStore {
  /// Works out what another catalog would give to customers and take from them, in turns between which recordings have theirs, and
  /// changes nothing.
  ///
  /// Each customer is folded twice, once with each catalog.
  /// - Parameter moment: when entitlements are compared.
  /// - Returns: the difference, and the revision that it is as of, for whoever wasn't recorded meanwhile.
  /// - Throws: `.givenUp`, `.closed`.
  package func difference(
    with catalog: Catalog, at moment: Moment, turns: Turns = Turns()
  ) throws(StoreError) -> (difference: CatalogDifference, revision: UInt64) {
    let revision = revision
    var difference = CatalogDifference()
    var rest = try everyone(turns) {}[...]
    while !rest.isEmpty {
      try turns.take(from: &rest, of: self) { customer, state in
        difference.add(customer, of: state.ledger, with: catalog, at: moment)
      }
    }
    return (difference, revision)
  }

  /// Replaces the catalog, unless that would cut more customers than the limit allows, and folds everyone anew.
  ///
  /// - Throws: `.catalogRefused`, and what `difference` and `submitAndWait` throw; the catalog is then as it was.
  package func replace(catalog: Catalog, limit: CutLimit, at moment: Moment) throws(StoreError) -> Applied {
    if limit != .none, read({ ledger, _ in ledger.catalog != catalog }) {
      let difference = try difference(with: catalog, at: moment).difference
      guard limit.allows(difference) else { throw .catalogRefused(CatalogRefusal(difference, limit: limit)) }
    }
    return try submitAndWait(.catalog(catalog))
  }
}
