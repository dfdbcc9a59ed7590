/// The fold from transactions and grants to an entitlement: any of them is enough, and the strongest gives the answer.
package enum EntitlementFold {
  /// The decision at one moment, of several grounds that could each grant the same entitlement.
  ///
  /// This is the rule as it is written; `timeline(of:)` is the same for all moments at once.
  package static func decision(of grounds: [AccessGround], at moment: Moment) -> Decision {
    Ranking(of: grounds, at: moment).decision
  }

  /// The decisions for all moments.
  ///
  /// Walks the boundaries of all grounds in order and keeps the best ground, so that a customer with thousands of renewals costs a
  /// sort, not a search at every boundary.
  package static func timeline(of grounds: [AccessGround]) -> Timeline {
    var ranking = Ranking(of: grounds, at: .distantPast)
    var timeline = Timeline()
    timeline.append(ranking.decision, from: .distantPast)
    let boundaries = boundaries(of: grounds)
    var next = 0
    while next < boundaries.count {
      let moment = boundaries[next].moment
      var end = next + 1
      while end < boundaries.count, boundaries[end].moment == moment { end += 1 }
      ranking.pass(boundaries[next..<end])
      timeline.append(ranking.decision, from: moment)
      next = end
    }
    return timeline
  }

  private static func boundaries(of grounds: [AccessGround]) -> [Boundary] {
    var boundaries: [Boundary] = []
    boundaries.reserveCapacity(grounds.count * 2)
    for index in grounds.indices {
      grounds[index].forEachBoundary { boundaries.append(Boundary(moment: $0, ground: index)) }
    }
    boundaries.sort { $0.moment < $1.moment }
    return boundaries
  }
}

/// A moment at which the standing of a ground may change.
private struct Boundary {
  let moment: Moment
  /// The ground's index.
  let ground: Int
}

/// How some grounds stand at a moment, and which of them answers.
private struct Ranking {
  private let grounds: [AccessGround]
  private var standings: [Standing?]
  private var best: Int?

  init(of grounds: [AccessGround], at moment: Moment) {
    self.grounds = grounds
    standings = grounds.map { $0.standing(at: moment) }
    best = search()
  }

  var decision: Decision {
    guard let best, let standing = standings[best] else { return .denied(.neverOwned) }
    guard standing.grants else { return .denied(standing.reason) }
    return Decision(reason: standing.reason, validUntil: standing.validUntil, ownership: grounds[best].ownership)
  }

  /// Goes on to the moment of some boundaries, which are all there are until then.
  mutating func pass(_ boundaries: ArraySlice<Boundary>) {
    let before = best.map { Place(ground: $0, standing: standings[$0]) }
    var first: Place?
    for boundary in boundaries {
      let place = Place(ground: boundary.ground, standing: grounds[boundary.ground].standing(at: boundary.moment))
      standings[place.ground] = place.standing
      if first.map({ isBehind($0, place) }) ?? true { first = place }
    }
    guard let first, let before else { return best = search() }
    if !isBehind(first, before) {
      // It isn't behind what was before all others.
      best = first.ground
    } else if boundaries.contains(where: { $0.ground == before.ground }) {
      best = search()
    }
  }

  private struct Place {
    let ground: Int
    /// Nil for a transaction that could never have granted.
    let standing: Standing?
  }

  /// The ground that answers; nil where none could ever have granted.
  private func search() -> Int? {
    var first: Place?
    for index in standings.indices where standings[index] != nil {
      let place = Place(ground: index, standing: standings[index])
      if first.map({ isBehind($0, place) }) ?? true { first = place }
    }
    return first?.ground
  }

  /// A grant is before a denial. Among grants the longest-lasting one answers; among denials the one whose access ended last;
  /// in the same millisecond a transaction before a grant, a purchase before a share, then the greater transaction id. What never
  /// gave access comes last: not yet valid, then upgraded, then consumable.
  private func isBehind(_ one: Place, _ other: Place) -> Bool {
    guard let mine = one.standing, let theirs = other.standing else { return other.standing != nil }
    if mine.rank != theirs.rank { return mine.rank < theirs.rank }
    if let mine = mine.validUntil ?? mine.ended, let theirs = theirs.validUntil ?? theirs.ended, mine != theirs {
      return mine < theirs
    }
    return grounds[one.ground].yields(to: grounds[other.ground])
  }
}

extension Standing {
  /// The greater, the sooner it answers.
  fileprivate var rank: Int {
    if grants { return 4 }
    if ended != nil { return 3 }
    switch reason {
    case .notYetValid: return 2
    case .upgraded: return 1
    default: return 0
    }
  }
}
