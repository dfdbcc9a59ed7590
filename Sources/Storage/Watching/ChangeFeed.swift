import Entitlements

/// Every change of an answer from when the first watcher came on, in order, shared by all watchers.
///
/// Costs nothing while it sleeps. Belongs to one thread, which advances it and reads from it.
package final class ChangeFeed {
  private let cache: EntitlementCache
  private let log: PublicationLog
  private var walk: ChangeWalk?
  private var groups: KeptWindow<ChangeGroup>
  /// Every change up to here is in the feed.
  package private(set) var position: ChangePosition

  /// How far ahead of the clock a position's time may be: the clock of a server that was started again may be a little behind.
  private static let toleratedMilliseconds: Int64 = 60_000

  package init(_ publications: PublicationLog, _ cache: EntitlementCache, limits: WatchLimits = WatchLimits()) {
    self.cache = cache
    log = publications
    position = log.claim().position
    groups = KeptWindow(from: position, limits: limits)
  }

  /// The next moment at which time alone changes an answer, in milliseconds since 1970; nil for none.
  package var nextMoment: Int64? { walk?.nextMoment }

  /// Walks to the present.
  ///
  /// - Parameter earliest: where it begins if it slept, as long as all since is known; else it begins at the present.
  /// - Throws: `.lost` where publications came faster; it sleeps then, and whoever follows has lost their place.
  package func advance(from earliest: ChangePosition? = nil) throws(WatchFailure) {
    do throws(WatchFailure) {
      // Taken out meanwhile, so that it isn't copied when it changes.
      let awake = self.walk
      self.walk = nil
      var walk: ChangeWalk
      if let awake { walk = awake } else { walk = try begin(from: earliest) }
      let end = log.claim()
      while let group = try walk.next(before: end) { groups.append(group) }
      if !walk.isInside { position = walk.position }
      self.walk = walk
    } catch {
      sleep()
      throw error
    }
  }

  /// Lets go of all that watching needs.
  package func sleep() {
    walk = nil
    groups.restart(from: groups.last)
  }

  private func begin(from earliest: ChangePosition?) throws(WatchFailure) -> ChangeWalk {
    var start = log.beginning()
    if let earliest, earliest < start, log.number(after: earliest) != nil { start = earliest }
    guard var walk = ChangeWalk(from: start, cache: cache, log: log) else { throw .lost(oldest: log.start) }
    while try walk.lookAround() != nil {}
    position = start
    groups.restart(from: start)
    return walk
  }
}

// MARK: - Watchers

/// Whose answers, and of which entitlements, somebody watches; nil: all.
package struct WatchFilter: Hashable, Sendable {
  package var customers: Set<CustomerID>?
  package var entitlements: Set<Identifier>?

  package init(customers: Set<CustomerID>? = nil, entitlements: Set<Identifier>? = nil) {
    self.customers = customers
    self.entitlements = entitlements
  }

  /// Those of some changes that are watched.
  func watched(_ changes: [AnswerChange]) -> [AnswerChange] {
    if customers == nil && entitlements == nil { return changes }
    return changes.filter { customers?.contains($0.customer) ?? true && entitlements?.contains($0.entitlement) ?? true }
  }
}

extension WatchFilter {
  /// A group with those of its changes that are watched, perhaps none.
  package func watched(_ group: ChangeGroup) -> ChangeGroup {
    ChangeGroup(position: group.position, changes: watched(group.changes), isWhole: group.isWhole)
  }
}

/// A watcher's place in the feed.
package struct ChangeCursor {
  fileprivate enum Place {
    /// On a walk of its own, which still looks around; with the present answers, if they are asked for.
    case lookingAround(ChangeWalk, tellsAnswers: Bool)
    case walking(ChangeWalk)
    /// At a group of the feed.
    case following(number: Int)
  }

  fileprivate var place: Place
  package let filter: WatchFilter
  /// Everything up to here was given.
  package fileprivate(set) var position: ChangePosition
  /// Whether some changes of one position were given, and others of it weren't yet.
  package fileprivate(set) var isInside = false
}

/// What a watcher is given next.
package enum WatchStep: Equatable {
  /// Answers that hold at the cursor's position, which are present.
  case present([AnswerChange])
  /// All present answers were given.
  case presentEnd
  /// Changes; with none, the end of those of a position.
  case changes(ChangeGroup)
  /// Nothing yet: more steps are needed.
  case nothing
}

extension ChangeFeed {
  /// A cursor behind a position, or at the present; the feed has to be awake.
  ///
  /// - Throws: `.future`, `.tooOld`.
  package func follow(from position: ChangePosition?, _ filter: WatchFilter) throws(WatchFailure) -> ChangeCursor {
    let start = position ?? self.position
    guard start.revision <= self.position.revision, start.time <= self.position.time + ChangeFeed.toleratedMilliseconds else {
      throw .future(present: self.position)
    }
    if let number = groups.number(after: start) {
      return ChangeCursor(place: .following(number: number), filter: filter, position: start)
    }
    guard let walk = ChangeWalk(from: start, customers: filter.customers, cache: cache, log: log) else {
      throw .tooOld(oldest: log.start)
    }
    return ChangeCursor(place: .lookingAround(walk, tellsAnswers: false), filter: filter, position: start)
  }

  /// A cursor behind a position to which `EntitlementStore.replayChanges` has come; the feed has to be awake, and to have advanced
  /// since.
  ///
  /// - Throws: `.tooOld` where what was published since has gone: the replay has to go on.
  package func goOn(fromReplayed position: ChangePosition, _ filter: WatchFilter) throws(WatchFailure) -> ChangeCursor {
    guard let number = log.number(afterRevision: position.revision) else { throw .tooOld(oldest: log.start) }
    let walk = ChangeWalk(from: position, number: number, customers: filter.customers, cache: cache, log: log)
    return ChangeCursor(place: .lookingAround(walk, tellsAnswers: false), filter: filter, position: position)
  }

  /// A cursor that gives the present answers first, the allowed ones, and then what changes.
  package func present(_ filter: WatchFilter) throws(WatchFailure) -> ChangeCursor {
    guard let walk = ChangeWalk(from: position, customers: filter.customers, cache: cache, log: log) else {
      throw .lost(oldest: log.start)
    }
    return ChangeCursor(place: .lookingAround(walk, tellsAnswers: true), filter: filter, position: position)
  }

  /// The next step of a watcher; nil where it has come to the present.
  ///
  /// - Throws: `.lost`.
  package func next(_ cursor: inout ChangeCursor) throws(WatchFailure) -> WatchStep? {
    switch cursor.place {
    case .lookingAround(var walk, let tellsAnswers):
      // Let go of meanwhile, so that it isn't copied when it changes.
      cursor.place = .following(number: .max)
      return try lookAround(&walk, tellsAnswers, &cursor)
    case .walking(var walk):
      cursor.place = .following(number: .max)
      return try self.walk(&walk, &cursor)
    case .following(let number):
      guard number >= groups.firstNumber else { throw .lost(oldest: log.start) }
      guard number < groups.endNumber else {
        if !cursor.isInside { cursor.position = max(cursor.position, position) }
        return nil
      }
      cursor.place = .following(number: number + 1)
      return cursor.take(groups[number])
    }
  }

  /// Makes sure that what a cursor comes to next is still kept.
  ///
  /// - Throws: `.lost`.
  package func check(_ cursor: ChangeCursor) throws(WatchFailure) {
    let isLost =
      switch cursor.place {
      case .lookingAround(let walk, _), .walking(let walk): walk.isLost
      case .following(let number): number < groups.firstNumber
      }
    if isLost { throw .lost(oldest: log.start) }
  }

  private func lookAround(_ walk: inout ChangeWalk, _ tellsAnswers: Bool, _ cursor: inout ChangeCursor) throws(WatchFailure)
    -> WatchStep
  {
    guard let found = try walk.lookAround() else {
      cursor.place = .walking(walk)
      return tellsAnswers ? .presentEnd : .nothing
    }
    cursor.place = .lookingAround(walk, tellsAnswers: tellsAnswers)
    guard tellsAnswers else { return .nothing }
    let time = cursor.position.time
    let answers = found.flatMap { cache.names.answers(of: $0.customer, in: $0.words, at: time) }
    return .present(cursor.filter.watched(answers.filter(\.answer.allows)))
  }

  /// A step on a walk of one's own, which ends where the feed's walk is.
  private func walk(_ walk: inout ChangeWalk, _ cursor: inout ChangeCursor) throws(WatchFailure) -> WatchStep {
    guard let main = self.walk else { throw .lost(oldest: log.start) }
    if let group = try walk.next(before: PublicationLog.End(position: main.position, number: main.number)) {
      cursor.place = .walking(walk)
      return cursor.take(group)
    }
    cursor.place = .following(number: groups.endNumber)
    return .nothing
  }
}

extension ChangeCursor {
  /// What the watcher is to hear of a group.
  fileprivate mutating func take(_ group: ChangeGroup) -> WatchStep {
    guard group.position > position else { return .nothing }
    let watched = filter.watched(group)
    if watched.changes.isEmpty && !(isInside && watched.isWhole) {
      if group.isWhole { position = group.position }
      return .nothing
    }
    isInside = !watched.isWhole
    if watched.isWhole { position = watched.position }
    return .changes(watched)
  }
}
