import Entitlements
import Platform
import Testing

@testable import Storage

/// A wall clock that a test sets, in milliseconds since 1970.
final class TestClock: Sendable {
  private let now: Guarded<Int64>

  init(_ moment: Moment) { now = Guarded(moment.milliseconds) }

  var milliseconds: Int64 { now.withLock { $0 } }
  func set(_ moment: Moment) { now.withLock { $0 = moment.milliseconds } }
  func advance(byMilliseconds count: Int64) { now.withLock { $0 += count } }
}

/// What the ledger alone says about every change on a way from state to state: the rule as it is written.
struct ReferenceWalk {
  private(set) var groups: [ChangeGroup] = []
  private var ledger: Ledger
  private var position: ChangePosition

  init(_ ledger: Ledger, at position: ChangePosition) {
    self.ledger = ledger
    self.position = position
  }

  /// Lets time pass: looks at each moment at which any timeline has a boundary.
  mutating func wait(until time: Int64) {
    var moments: Set<Int64> = []
    for access in RandomHistory.everyone.compactMap({ ledger.access(of: $0) }) {
      for segment in access.timelines.flatMap(\.timeline.segments) { moments.insert(segment.from.milliseconds) }
    }
    for moment in moments.sorted() where moment > position.time && moment <= time {
      move(to: ChangePosition(revision: position.revision, time: moment), ledger)
    }
    position.time = time
  }

  /// Goes to a later state at a moment that was waited for.
  mutating func move(to revision: UInt64, _ ledger: Ledger) {
    move(to: ChangePosition(revision: revision, time: position.time), ledger)
  }

  private mutating func move(to next: ChangePosition, _ ledger: Ledger) {
    let changes = RandomHistory.everyone.sorted().flatMap { self.changes(of: $0, to: next, ledger) }
    if !changes.isEmpty { groups.append(ChangeGroup(position: next, changes: changes)) }
    (self.ledger, position) = (ledger, next)
  }

  private func changes(of customer: CustomerID, to next: ChangePosition, _ ledger: Ledger) -> [AnswerChange] {
    let (before, after) = (self.ledger.access(of: customer), ledger.access(of: customer))
    func answer(_ access: CustomerAccess?, _ entitlement: Identifier, at time: Int64) -> AccessBlock.Answer {
      AccessBlock.Answer(
        access?.decision(for: entitlement, at: Moment(milliseconds: time)) ?? .denied(.unknownCustomer))
    }
    let names = Set((before?.timelines ?? []).map(\.entitlement) + (after?.timelines ?? []).map(\.entitlement))
    return names.sorted().compactMap { name in
      let (old, new) = (answer(before, name, at: position.time), answer(after, name, at: next.time))
      return old == new ? nil : AnswerChange(customer: customer, entitlement: name, answer: new)
    }
  }
}

extension ChangeFeed {
  convenience init(_ store: EntitlementStore, limits: WatchLimits = WatchLimits()) {
    self.init(store.publications, store.cache, limits: limits)
  }

  /// Walks to the present of a clock: time stands still until a batch of inputs has ended, which may be after its last answer.
  func advance(to clock: TestClock) throws(WatchFailure) {
    repeat { try advance() } while position.time < clock.milliseconds
  }

  /// Every step that a cursor can take now.
  func steps(_ cursor: inout ChangeCursor) throws(WatchFailure) -> [WatchStep] {
    var steps: [WatchStep] = []
    while let step = try next(&cursor) { if step != .nothing { steps.append(step) } }
    return steps
  }

  /// Every group of changes that a cursor can take now; the parts of a position put together, in the order of customers.
  func groups(_ cursor: inout ChangeCursor) throws(WatchFailure) -> [ChangeGroup] { try steps(&cursor).groups }
}

extension [WatchStep] {
  var groups: [ChangeGroup] {
    var groups: [ChangeGroup] = []
    for case .changes(let group) in self {
      if groups.last?.isWhole == false {
        #expect(groups.last?.position == group.position)
        groups[groups.count - 1].changes += group.changes
        groups[groups.count - 1].isWhole = group.isWhole
      } else {
        groups.append(group)
      }
    }
    return groups.map(\.sorted)
  }
}

extension ChangeGroup {
  fileprivate var sorted: ChangeGroup {
    var group = self
    group.changes.sort { ($0.customer, $0.entitlement) < ($1.customer, $1.entitlement) }
    return group
  }
}
