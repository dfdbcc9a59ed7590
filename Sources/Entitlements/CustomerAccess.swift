/// All that a customer's history answers: a timeline for each entitlement that some transaction or grant of theirs could give.
package struct CustomerAccess: Hashable, Sendable {
  /// Entitlements that are answered alike, since they rest on the same transactions: mostly all that a product grants.
  package struct Part: Sendable {
    package let list: EntitlementList
    /// Which segments are their timeline. Parts with the same timeline have the same ones; the others of each are behind those of all
    /// parts before.
    package let segments: Range<Int>
  }

  /// Each entitlement is in one of them. They are in the order of the first entitlement of each by its bytes, so that the same answers
  /// are compiled into the same block.
  private var partList = ReusedList<Part>()
  private var segmentList = ReusedList<Timeline.Segment>()
  /// Where the segments begin that are no part's yet.
  private var timelineStart = 0

  init() {}

  package init(_ timelines: [Identifier: Timeline]) {
    for (entitlement, timeline) in timelines.sorted(by: { $0.key < $1.key }) {
      for segment in timeline.segments { segmentList.append(segment) }
      endTimeline(of: EntitlementList([entitlement]))
    }
  }

  package var partCount: Int { partList.count }

  package func part(_ index: Int) -> Part { partList[index] }

  private var parts: ArraySlice<Part> { partList.elements[..<partCount] }

  /// The segments of all timelines. Behind those that some part names may stand others, which say nothing.
  package var segments: [Timeline.Segment] { segmentList.elements }

  func timeline(of part: Part) -> Timeline { Timeline(Array(segments[part.segments])) }

  /// By entitlement, in order of their bytes.
  package var timelines: [(entitlement: Identifier, timeline: Timeline)] {
    parts.flatMap { part in part.list.entitlements.map { ($0, timeline(of: part)) } }.sorted { $0.0 < $1.0 }
  }

  /// The answer for an entitlement at a moment.
  package func decision(for entitlement: Identifier, at moment: Moment) -> Decision {
    let part = parts.first { $0.list.entitlements.contains(entitlement) }
    return part.map { timeline(of: $0).decision(at: moment) } ?? .denied(.neverOwned)
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

// MARK: - As it is made

extension CustomerAccess {
  /// Forgets all of it, and keeps the room.
  mutating func removeAll() {
    partList.removeAll()
    segmentList.removeAll()
    timelineStart = 0
  }

  /// Adds what holds from a moment on to the timeline that isn't ended yet; merges what is equal.
  @inline(__always)
  mutating func append(_ decision: Decision, from moment: Moment) {
    if segmentList.count > timelineStart, segmentList[segmentList.count - 1].decision == decision { return }
    segmentList.append(Timeline.Segment(from: moment, decision: decision))
  }

  /// Ends a timeline of entitlements that are in no part yet; it isn't kept where there is the same one already.
  mutating func endTimeline(of list: EntitlementList) {
    var range = timelineStart..<segmentList.count
    if partCount > 0, let same = parts.first(where: { segments[$0.segments] == segments[range] }) {
      segmentList.removeAll(from: timelineStart)
      range = same.segments
    }
    timelineStart = segmentList.count
    partList.append(Part(list: list, segments: range))
  }
}

extension Ledger {
  /// Folds a customer's entitlements from their whole history; nil for one who holds nothing at all.
  package func access(of customer: CustomerID) -> CustomerAccess? {
    var folding = Folding()
    return folding.fold(customer, of: self) ? folding.access : nil
  }
}
