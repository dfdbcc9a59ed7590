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
    if grounds.count == 1 { return timeline(of: grounds[0]) }
    let boundaries = boundaries(of: grounds)
    var ranking = Ranking(of: grounds, at: .distantPast)
    var timeline = Timeline(capacity: boundaries.count + 1)
    timeline.append(ranking.decision, from: .distantPast)
    var next = 0
    while next < boundaries.count {
      let first = next
      repeat { next += 1 } while next < boundaries.count && boundaries[next].moment == boundaries[first].moment
      ranking.pass(boundaries[first..<next])
      timeline.append(ranking.decision, from: boundaries[first].moment)
    }
    return timeline
  }

  /// The decisions of a ground that is the only one, and so always answers.
  private static func timeline(of ground: AccessGround) -> Timeline {
    var timeline = Timeline(capacity: usualSegmentCount)
    var next: Moment? = .distantPast
    while let moment = next {
      timeline.append(ground.decision(ground.standing(at: moment)), from: moment)
      next = ground.boundary(after: moment)
    }
    return timeline
  }

  /// Before a purchase, its period, and after it; one more with grace.
  private static let usualSegmentCount = 4

  private static func boundaries(of grounds: [AccessGround]) -> [Boundary] {
    var boundaries: [Boundary] = []
    boundaries.reserveCapacity(grounds.count * 3)
    let span = grounds.span
    for index in span.indices { span[index].addBoundaries(ofGround: index, to: &boundaries) }
    boundaries.sort { $0.moment < $1.moment }
    return boundaries
  }
}

/// A moment at which the standing of a ground may change, and how it stands from then on.
private struct Boundary: BitwiseCopyable {
  let moment: Moment
  let place: Place
}

/// How one of several grounds stands at some moment.
private struct Place: BitwiseCopyable {
  /// The ground's index.
  let ground: Int
  /// Nil for a transaction that could never have granted.
  let standing: Standing?
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
    best.map { grounds[$0].decision(standings[$0]) } ?? .denied(.neverOwned)
  }

  /// Goes on to the moment of some boundaries, which are all there are until then.
  mutating func pass(_ boundaries: ArraySlice<Boundary>) {
    let before = best.map { Place(ground: $0, standing: standings[$0]) }
    var first: Place?
    for boundary in boundaries {
      standings[boundary.place.ground] = boundary.place.standing
      if first.map({ isBehind($0, boundary.place) }) ?? true { first = boundary.place }
    }
    guard let first, let before else { return best = search() }
    if !isBehind(first, before) {
      // It isn't behind what was before all others.
      best = first.ground
    } else if boundaries.contains(where: { $0.place.ground == before.ground }) {
      best = search()
    }
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
  /// gave access comes last: not yet valid, then upgraded, then consumable, of which all say the same.
  private func isBehind(_ one: Place, _ other: Place) -> Bool {
    guard let mine = one.standing, let theirs = other.standing else { return other.standing != nil }
    if mine.rank != theirs.rank { return mine.rank < theirs.rank }
    guard let mine = mine.validUntil ?? mine.ended, let theirs = theirs.validUntil ?? theirs.ended else { return false }
    return mine == theirs ? grounds[one.ground].yields(to: grounds[other.ground]) : mine < theirs
  }
}

extension AccessGround {
  fileprivate func addBoundaries(ofGround index: Int, to boundaries: inout [Boundary]) {
    forEachBoundary { moment in
      boundaries.append(Boundary(moment: moment, place: Place(ground: index, standing: standing(at: moment))))
    }
  }

  /// The answer where this ground is the one that answers, and stands so.
  fileprivate func decision(_ standing: Standing?) -> Decision {
    guard let standing else { return .denied(.neverOwned) }
    return standing.grants
      ? Decision(reason: standing.reason, validUntil: standing.validUntil, isShared: isShared) : .denied(standing.reason)
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
