/// All that a customer's history answers: a timeline for each entitlement that some transaction or grant of theirs could give.
package struct CustomerAccess: Hashable, Sendable {
  /// By entitlement, in order of their bytes.
  package private(set) var timelines: [(entitlement: Identifier, timeline: Timeline)]

  package init(_ timelines: [Identifier: Timeline]) {
    self.timelines = timelines.map { ($0.key, $0.value) }.sorted { $0.entitlement < $1.entitlement }
  }

  /// The answer for an entitlement at a moment.
  package func decision(for entitlement: Identifier, at moment: Moment) -> Decision {
    timelines.first { $0.entitlement == entitlement }?.timeline.decision(at: moment) ?? .denied(.neverOwned)
  }

  package static func == (one: CustomerAccess, other: CustomerAccess) -> Bool {
    one.timelines.elementsEqual(other.timelines) { $0.entitlement == $1.entitlement && $0.timeline == $1.timeline }
  }

  package func hash(into hasher: inout Hasher) {
    for (entitlement, timeline) in timelines {
      hasher.combine(entitlement)
      hasher.combine(timeline)
    }
  }
}

extension Ledger {
  /// Folds a customer's entitlements from their whole history; nil for one who holds nothing at all.
  package func access(of customer: CustomerID) -> CustomerAccess? {
    let (holder, given) = (records.number(of: customer), grants[customer] ?? [])
    if holder == nil, given.isEmpty { return nil }
    var grounds = Grounds()
    if let holder { addTransactions(of: holder, to: &grounds) }
    for grant in given { grounds.add(grant) }
    return grounds.folded()
  }

  private func addTransactions(of holder: CustomerNumber, to grounds: inout Grounds) {
    var states = Remembered<LineageNumber, LineageState>()
    for number in records.records(of: holder) {
      let lineage = records.packed(number).lineage
      let access = access(by: number, in: states.value(of: lineage, otherwise: state(of: lineage)))
      guard access.kind != .nothing else { continue }
      grounds.add(access, ofProduct: records.productID(of: number), in: catalog)
    }
  }
}

/// All grounds of one customer: those of a product together, since they give the same entitlements.
private struct Grounds {
  private var groups: [Group] = []
  private var groupsOfProducts = Remembered<Identifier, Int>()

  private struct Group {
    let entitlements: [Identifier]
    var grounds: [AccessGround] = []
  }

  mutating func add(_ access: TransactionAccess, ofProduct product: Identifier, in catalog: Catalog) {
    let next = groups.count
    let group = groupsOfProducts.value(of: product, otherwise: next)
    if group == next { groups.append(Group(entitlements: catalog.entitlements(ofProduct: product))) }
    groups[group].grounds.append(.transaction(access))
  }

  mutating func add(_ grant: ManualGrant) {
    groups.append(Group(entitlements: [grant.entitlement], grounds: [.grant(grant.access)]))
  }

  func folded() -> CustomerAccess {
    var groupsOfEntitlement: [Identifier: [Int]] = [:]
    for (index, group) in groups.enumerated() {
      for entitlement in group.entitlements { groupsOfEntitlement[entitlement, default: []].append(index) }
    }
    // Most entitlements of a customer rest on the very same transactions as another one: those are folded once.
    var folded = Remembered<[Int], Timeline>()
    return CustomerAccess(
      groupsOfEntitlement.mapValues { rested in
        folded.value(of: rested, otherwise: EntitlementFold.timeline(of: grounds(of: rested)))
      })
  }

  private func grounds(of indexes: [Int]) -> [AccessGround] {
    indexes.count == 1 ? groups[indexes[0]].grounds : indexes.flatMap { groups[$0].grounds }
  }
}
