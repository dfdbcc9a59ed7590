/// All grounds of one customer: those of a product together, since they give the same entitlements.
struct GroundGroups {
  private var groups: [Group] = []
  private var groupsOfProducts = Remembered<Identifier, Int>()

  private struct Group {
    let entitlements: [Identifier]
    var grounds: [AccessGround] = []
  }

  /// The group of a product's transactions.
  mutating func group(of product: Identifier, in catalog: Catalog) -> Int {
    let next = groups.count
    let group = groupsOfProducts.value(of: product, otherwise: next)
    if group == next { groups.append(Group(entitlements: catalog.entitlements(ofProduct: product))) }
    return group
  }

  mutating func add(_ access: consuming TransactionAccess, to group: Int) { groups[group].grounds.append(.transaction(access)) }

  mutating func add(_ grant: ManualGrant) {
    groups.append(Group(entitlements: [grant.entitlement], grounds: [.grant(grant.access)]))
  }

  /// What all of them give together.
  func folded() -> CustomerAccess {
    var access = CustomerAccess()
    if groups.count == 1 {
      // Most customers have one product only, and so one timeline for all that it grants.
      access.add(groups[0].entitlements, EntitlementFold.timeline(of: groups[0].grounds))
      return access
    }
    // Most entitlements of a customer rest on the very same transactions as another one: those are folded once.
    var folded = Remembered<[Int], Timeline>()
    var rest = givings()[...]
    while let entitlement = rest.first?.entitlement {
      let rested = rest.prefix { $0.entitlement == entitlement }.map(\.group)
      rest = rest.dropFirst(rested.count)
      access.add([entitlement], folded.value(of: rested, otherwise: EntitlementFold.timeline(of: grounds(of: rested))))
    }
    return access
  }

  /// Each entitlement with each group that gives it, in order.
  private func givings() -> [(entitlement: Identifier, group: Int)] {
    var givings: [(entitlement: Identifier, group: Int)] = []
    for (index, group) in groups.enumerated() {
      for entitlement in group.entitlements { givings.append((entitlement, index)) }
    }
    givings.sort { $0.entitlement == $1.entitlement ? $0.group < $1.group : $0.entitlement < $1.entitlement }
    return givings
  }

  private func grounds(of indexes: [Int]) -> [AccessGround] {
    indexes.count == 1 ? groups[indexes[0]].grounds : indexes.flatMap { groups[$0].grounds }
  }
}
