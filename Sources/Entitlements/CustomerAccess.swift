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
    let (numbers, given) = (holdings[customer] ?? [], grants[customer] ?? [])
    if numbers.isEmpty, given.isEmpty { return nil }
    var grounds = Grounds()
    addTransactions(numbers, to: &grounds)
    for grant in given { grounds.add(grant) }
    return grounds.folded()
  }

  private func addTransactions(_ numbers: [RecordNumber], to grounds: inout Grounds) {
    // Transactions of one lineage mostly follow each other, so that its state is mostly there.
    var last: (lineage: ScopedID, state: LineageState)?
    for number in numbers {
      let lineage = records[number].lineage
      let state = last.flatMap { $0.lineage == lineage ? $0.state : nil } ?? state(of: lineage)
      last = (lineage, state)
      let access = access(by: number, in: state)
      guard access.kind != .nothing else { continue }
      grounds.add(access, ofProduct: records[number].transaction.productID, in: catalog)
    }
  }
}

/// All grounds of one customer: those of a product together, since they give the same entitlements.
private struct Grounds {
  private var groups: [Group] = []

  private struct Group {
    /// Nil of grants.
    let product: Identifier?
    let entitlements: [Identifier]
    var grounds: [AccessGround] = []
  }

  mutating func add(_ access: TransactionAccess, ofProduct product: Identifier, in catalog: Catalog) {
    let known = groups.firstIndex { $0.product == product }
    if known == nil { groups.append(Group(product: product, entitlements: catalog.entitlements(ofProduct: product))) }
    groups[known ?? groups.count - 1].grounds.append(.transaction(access))
  }

  mutating func add(_ grant: ManualGrant) {
    groups.append(Group(product: nil, entitlements: [grant.entitlement], grounds: [.grant(grant.access)]))
  }

  func folded() -> CustomerAccess {
    var groupsOfEntitlement: [Identifier: [Int]] = [:]
    for (index, group) in groups.enumerated() {
      for entitlement in group.entitlements { groupsOfEntitlement[entitlement, default: []].append(index) }
    }
    // Most entitlements of a customer rest on the very same transactions as another one: those are folded once.
    var folded: [(groups: [Int], timeline: Timeline)] = []
    return CustomerAccess(
      groupsOfEntitlement.mapValues { rested in
        if let known = folded.first(where: { $0.groups == rested }) { return known.timeline }
        let timeline = EntitlementFold.timeline(
          of: rested.count == 1 ? groups[rested[0]].grounds : rested.flatMap { groups[$0].grounds })
        folded.append((rested, timeline))
        return timeline
      })
  }
}
