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
    for (entitlement, rested) in groupsOfEntitlements().sorted(by: { $0.key < $1.key }) {
      access.add([entitlement], folded.value(of: rested, otherwise: EntitlementFold.timeline(of: grounds(of: rested))))
    }
    return access
  }

  /// For each entitlement the groups that it rests on.
  private func groupsOfEntitlements() -> [Identifier: [Int]] {
    var groupsOfEntitlements: [Identifier: [Int]] = [:]
    for (index, group) in groups.enumerated() {
      for entitlement in group.entitlements { groupsOfEntitlements[entitlement, default: []].append(index) }
    }
    return groupsOfEntitlements
  }

  private func grounds(of indexes: [Int]) -> [AccessGround] {
    indexes.count == 1 ? groups[indexes[0]].grounds : indexes.flatMap { groups[$0].grounds }
  }
}
