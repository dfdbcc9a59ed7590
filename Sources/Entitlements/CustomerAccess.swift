/// All that a customer's history answers: a timeline for each entitlement that some transaction or grant of theirs could give.
package struct CustomerAccess: Hashable, Sendable {
  /// Entitlements that are answered alike, since they rest on the same transactions: mostly all that a product grants.
  package struct Part: Sendable {
    package fileprivate(set) var entitlements: [Identifier]
    package let timeline: Timeline
  }

  /// Each entitlement is in one of them, and no two have the same timeline. They are in the order of the first entitlement of each by
  /// its bytes, so that the same answers are compiled into the same block.
  package private(set) var parts: [Part] = []

  init() {}

  package init(_ timelines: [Identifier: Timeline]) {
    for (entitlement, timeline) in timelines.sorted(by: { $0.key < $1.key }) { add([entitlement], timeline) }
  }

  /// Adds entitlements that are in no part yet: all that there are, or one that comes after all before it by its bytes.
  mutating func add(_ entitlements: [Identifier], _ timeline: Timeline) {
    if let same = parts.firstIndex(where: { $0.timeline == timeline }) {
      parts[same].entitlements += entitlements
    } else {
      parts.append(Part(entitlements: entitlements, timeline: timeline))
    }
  }

  /// By entitlement, in order of their bytes.
  package var timelines: [(entitlement: Identifier, timeline: Timeline)] {
    parts.flatMap { part in part.entitlements.map { ($0, part.timeline) } }.sorted { $0.0 < $1.0 }
  }

  /// The answer for an entitlement at a moment.
  package func decision(for entitlement: Identifier, at moment: Moment) -> Decision {
    parts.first { $0.entitlements.contains(entitlement) }?.timeline.decision(at: moment) ?? .denied(.neverOwned)
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
    var grounds = GroundGroups()
    if let holder { addTransactions(of: holder, to: &grounds) }
    for grant in given { grounds.add(grant) }
    return grounds.folded()
  }

  private func addTransactions(of holder: CustomerNumber, to grounds: inout GroundGroups) {
    var states = Remembered<LineageNumber, LineageState>()
    var groupsOfTraits = Remembered<Int, Int>()
    // The traits of consumables that were added: another one with the same ones would say the same.
    var spentTraits = DistinctNumbers<Int>()
    records.forEachRecord(of: holder) { number in
      let record = records.packed(number)
      if spentTraits.contains(record.traits) { return }
      let access = access(by: number, in: states.value(of: record.lineage, otherwise: state(of: record.lineage)))
      switch access.kind {
      case .nothing: return
      case .consumable: spentTraits.insert(record.traits)
      case .upgraded, .timed: break
      }
      let group = groupsOfTraits.value(
        of: record.traits, otherwise: grounds.group(of: records.productID(of: number), in: catalog))
      grounds.add(access, to: group)
    }
  }
}
