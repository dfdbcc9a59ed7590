/// The fold from transactions and grants to an entitlement: any of them is enough, and the strongest gives the answer.
package enum EntitlementFold {
  /// The decision at one moment, of several grounds that could each grant the same entitlement.
  ///
  /// This is the rule as it is written; `timeline(of:)` is the same for all moments at once.
  package static func decision(of grounds: [AccessGround], at moment: Moment) -> Decision {
    let standings = grounds.compactMap { ground in ground.standing(at: moment).map { Candidate(ground: ground, standing: $0) } }
    guard let best = standings.max() else { return .denied(.neverOwned) }
    return best.decision
  }

  /// The decisions for all moments.
  ///
  /// Walks the boundaries of all grounds in order and keeps the best candidate beside the others, so that a customer with
  /// thousands of renewals costs a sort, not a search at every boundary.
  package static func timeline(of grounds: [AccessGround]) -> Timeline {
    var candidates = grounds.compactMap { ground in
      ground.standing(at: .distantPast).map { Candidate(ground: ground, standing: $0) }
    }
    var events: [(moment: Moment, index: Int)] = []
    for (index, candidate) in candidates.enumerated() {
      for moment in candidate.ground.boundaries { events.append((moment, index)) }
    }
    events.sort { $0.moment < $1.moment }

    var timeline = Timeline()
    var best = candidates.indices.max { candidates[$0] < candidates[$1] }
    timeline.append(best.map { candidates[$0].decision } ?? .denied(.neverOwned), from: .distantPast)
    for (moment, index) in events {
      guard let standing = candidates[index].ground.standing(at: moment) else { continue }
      candidates[index].standing = standing
      if index == best {
        best = candidates.indices.max { candidates[$0] < candidates[$1] }
      } else if let current = best, candidates[current] < candidates[index] {
        best = index
      }
      if let best { timeline.append(candidates[best].decision, from: moment) }
    }
    return timeline
  }
}

/// The standing of one ground among others: the greatest of them answers.
private struct Candidate: Comparable {
  var ground: AccessGround
  var standing: Standing

  var decision: Decision {
    guard standing.grants else { return .denied(standing.reason) }
    return Decision(reason: standing.reason, validUntil: standing.validUntil, ownership: ground.ownership)
  }

  /// A grant is above a denial. Among grants the longest-lasting one answers; among denials the one whose access ended last;
  /// in the same millisecond a transaction before a grant, a purchase before a share, then the greater transaction id. What never gave access comes last:
  /// not yet valid, then upgraded, then consumable.
  static func < (one: Candidate, other: Candidate) -> Bool {
    if one.rank != other.rank { return one.rank < other.rank }
    let moments = (one.standing.validUntil ?? one.standing.ended, other.standing.validUntil ?? other.standing.ended)
    if let mine = moments.0, let theirs = moments.1, mine != theirs { return mine < theirs }
    return one.ground.yields(to: other.ground)
  }

  static func == (one: Candidate, other: Candidate) -> Bool { !(one < other) && !(other < one) }

  private var rank: Int {
    if standing.grants { return 4 }
    if standing.ended != nil { return 3 }
    switch standing.reason {
    case .notYetValid: return 2
    case .upgraded: return 1
    default: return 0
    }
  }
}

extension Identifier {
  /// Transaction ids compare as numbers if both are all digits, else by bytes.
  func isLesserTransactionID(than other: Identifier) -> Bool {
    guard isAllDigits, other.isAllDigits else { return self < other }
    let mine = text.utf8.drop { $0 == UInt8(ascii: "0") }
    let theirs = other.text.utf8.drop { $0 == UInt8(ascii: "0") }
    if mine.count != theirs.count { return mine.count < theirs.count }
    if mine.elementsEqual(theirs) { return self < other }
    return mine.lexicographicallyPrecedes(theirs)
  }

  private var isAllDigits: Bool { !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
}
