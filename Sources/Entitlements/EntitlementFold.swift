/// The fold from transactions and grants to an entitlement: any of them is enough, and the strongest gives the answer.
package enum EntitlementFold {
  /// The decision at one moment, of several grounds that could each grant the same entitlement.
  ///
  /// This is the rule as it is written; `Standings` is the same for all moments at once.
  package static func decision(of grounds: [AccessGround], at moment: Moment) -> Decision {
    var first: (ground: AccessGround, standing: Standing)?
    for ground in grounds {
      guard let standing = ground.standing(at: moment) else { continue }
      if first.map({ $0.standing.isBehind(standing) { [first = $0.ground] in first.yields(to: ground) } }) ?? true {
        first = (ground, standing)
      }
    }
    return first.map { Decision($0.standing, isShared: $0.ground.isShared) } ?? .denied(.neverOwned)
  }

  /// The decisions for all moments, as customers are folded.
  package static func timeline(of grounds: [AccessGround]) -> Timeline {
    var standings = Standings()
    var texts = TextStore()
    for ground in grounds { standings.add(ground, &texts) }
    standings.finish(texts)
    var access = CustomerAccess()
    standings.answer(in: &access, of: EntitlementList([]))
    return access.timeline(of: access.part(0))
  }
}

extension Decision {
  /// The answer where what stands so is what answers.
  ///
  /// - Parameter isShared: whether it is a shared transaction; nil for a grant.
  @inline(__always)
  init(_ standing: Standing, isShared: Bool?) {
    self.init(reason: standing.reason, validUntil: standing.validUntil, isShared: standing.grants ? isShared : nil)
  }
}
