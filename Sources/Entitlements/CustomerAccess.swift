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
    for grant in given { grounds.add(.grant(grant.access), for: [grant.entitlement]) }
    return grounds.folded()
  }

  private func addTransactions(_ numbers: [RecordNumber], to grounds: inout Grounds) {
    var states: [ScopedID: LineageState] = [:]
    for number in numbers {
      let lineage = records[number].lineage
      let state = states[lineage] ?? state(of: lineage)
      states[lineage] = state
      let access = access(by: number, in: state)
      guard access.kind != .nothing else { continue }
      grounds.add(.transaction(access), for: catalog.entitlements(ofProduct: records[number].transaction.productID))
    }
  }
}

/// All grounds of one customer, and which of them each entitlement rests on.
private struct Grounds {
  private var all: [AccessGround] = []
  private var groups: [Identifier: [Int]] = [:]

  mutating func add(_ ground: AccessGround, for entitlements: [Identifier]) {
    for entitlement in entitlements { groups[entitlement, default: []].append(all.count) }
    all.append(ground)
  }

  func folded() -> CustomerAccess {
    // Most entitlements of a customer rest on the very same transactions as another one: those are folded once.
    var folded: [[Int]: Timeline] = [:]
    return CustomerAccess(
      groups.mapValues { group in
        let timeline = folded[group] ?? EntitlementFold.timeline(of: group.map { all[$0] })
        folded[group] = timeline
        return timeline
      })
  }
}
