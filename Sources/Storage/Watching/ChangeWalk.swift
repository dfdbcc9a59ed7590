import Entitlements

/// The way that answers went from one position to another: by publications, and between them by time alone.
///
/// A walk keeps no copy of the answers: it reads the cache, and takes back what was published after the position that it has
/// reached. Belongs to one thread.
struct ChangeWalk {
  private let cache: EntitlementCache
  private let log: PublicationLog
  /// Nil: everyone.
  private let customers: Set<CustomerID>?

  /// Everything up to here was given.
  private(set) var position: ChangePosition
  /// The number of the first publication that it hasn't come to.
  private(set) var number: Int
  /// Whether more changes of `position` follow.
  private(set) var isInside = false
  private var calendar = BoundaryCalendar()

  /// Of a customer about whom there are publications ahead.
  private struct Ahead {
    var count = 0
    /// The answers at the position.
    var words: [UInt64]?
  }

  private var ahead: [CustomerID: Ahead] = [:]
  /// The number of the first publication that isn't counted in `ahead`.
  private var seenNumber: Int
  private var nextShard = 0

  /// Begins at a position, for some customers or everyone; nil where what was published after it isn't known any more.
  init?(from position: ChangePosition, customers: Set<CustomerID>? = nil, cache: EntitlementCache, log: PublicationLog) {
    guard let number = log.number(after: position) else { return nil }
    self.init(from: position, number: number, customers: customers, cache: cache, log: log)
  }

  /// Begins at a position of which the next publication has a number.
  init(from position: ChangePosition, number: Int, customers: Set<CustomerID>?, cache: EntitlementCache, log: PublicationLog) {
    self.cache = cache
    self.log = log
    self.customers = customers
    self.position = position
    self.number = number
    seenNumber = number
  }

  /// The next moment at which time alone changes an answer; nil for none.
  var nextMoment: Int64? { calendar.nextMoment }

  /// Whether publications have gone that it hasn't looked at.
  var isLost: Bool { log.firstNumber > min(seenNumber, number) }

  // MARK: Looking around

  /// A customer's compiled answers.
  typealias Answers = (customer: CustomerID, words: [UInt64])

  /// Takes in some more customers, and gives their answers at the position; nil once all are taken in. Before the first `next`.
  ///
  /// - Throws: `.lost` where publications came faster than it looked.
  mutating func lookAround() throws(WatchFailure) -> [Answers]? {
    guard nextShard < EntitlementCache.shardCount else { return nil }
    let found: [Answers]
    if let customers {
      nextShard = EntitlementCache.shardCount
      found = try answers(of: customers.sorted())
    } else {
      nextShard += 1
      found = try everyone(inShard: nextShard - 1)
    }
    for (customer, words) in found { setMoment(of: customer, in: words) }
    return found
  }

  private mutating func answers(of customers: [CustomerID]) throws(WatchFailure) -> [Answers] {
    var found: [Answers] = []
    for customer in customers {
      if let words = try words(of: customer) { found.append((customer, words)) }
    }
    return found
  }

  private mutating func everyone(inShard shard: Int) throws(WatchFailure) -> [Answers] {
    let current = cache.currentWords(inShard: shard)
    try lookAhead()
    var found: [Answers] = []
    for (customer, words) in current {
      if let words = ahead[customer].map(\.words) ?? words { found.append((customer, words)) }
    }
    // Who has left the cache since isn't in it, and has answers here all the same.
    let seen = Set(current.map(\.customer))
    for (customer, earlier) in ahead where cache.shardIndex(of: customer) == shard && !seen.contains(customer) {
      if let words = earlier.words { found.append((customer, words)) }
    }
    return found
  }

  /// A customer's answers at the position. The cache is looked at first: a publication that it shows is in the log by then.
  private mutating func words(of customer: CustomerID) throws(WatchFailure) -> [UInt64]? {
    let current = cache.currentWords(of: customer)
    try lookAhead()
    return ahead[customer].map(\.words) ?? current
  }

  private mutating func lookAhead() throws(WatchFailure) {
    guard let entries = log.entries(from: seenNumber) else { throw .lost(oldest: log.start) }
    seenNumber += entries.count
    for entry in entries {
      for change in entry.changes where isWatched(change.customer) {
        ahead[change.customer, default: Ahead(words: change.before)].count += 1
      }
    }
  }

  private func isWatched(_ customer: CustomerID) -> Bool { customers?.contains(customer) ?? true }

  private mutating func setMoment(of customer: CustomerID, in words: [UInt64]?) {
    let moment = position.time
    calendar.set(unsafe AccessBlock.with(words) { block in unsafe block?.boundary(after: moment) }, of: customer)
  }

  // MARK: Walking

  /// The next changes on the way to a position, which may be none at the end of a publication in parts; nil once it is there.
  ///
  /// - Throws: `.lost` where publications came faster than it walked.
  mutating func next(before end: PublicationLog.End) throws(WatchFailure) -> ChangeGroup? {
    while true {
      let entry = number < end.number ? try entry() : nil
      let target = entry?.position.time ?? end.position.time
      if !isInside, let moment = calendar.nextMoment, moment <= target {
        var group = try pass()
        // A correction at this very moment has the same position.
        if let entry, entry.position == group.position { try apply(entry, to: &group) }
        if group.changes.isEmpty { continue }
        return group
      }
      guard let entry else {
        if !isInside { position = max(position, end.position) }
        return nil
      }
      let wasInside = isInside
      position = ChangePosition(revision: entry.position.revision, time: max(position.time, entry.position.time))
      var group = ChangeGroup(position: position)
      try apply(entry, to: &group)
      if !group.changes.isEmpty || wasInside || isInside { return group }
    }
  }

  private func entry() throws(WatchFailure) -> PublicationLog.Entry {
    guard let entry = log.entry(number) else { throw .lost(oldest: log.start) }
    return entry
  }

  /// Passes the next moment at which time alone changes answers.
  private mutating func pass() throws(WatchFailure) -> ChangeGroup {
    guard let moment = calendar.nextMoment else { preconditionFailure("there is a moment to pass") }
    position.time = moment
    var group = ChangeGroup(position: position)
    for customer in calendar.takeNext() {
      let words = try words(of: customer)
      group.changes += cache.names.changes(of: customer, from: words, at: moment - 1, to: words, at: moment)
      setMoment(of: customer, in: words)
    }
    return group
  }

  /// Goes through a publication at the position.
  private mutating func apply(_ entry: PublicationLog.Entry, to group: inout ChangeGroup) throws(WatchFailure) {
    if seenNumber <= number { try lookAhead() }
    number += 1
    for change in entry.changes where isWatched(change.customer) {
      ahead[change.customer]?.count -= 1
      ahead[change.customer]?.words = change.after
      if ahead[change.customer]?.count == 0 { ahead[change.customer] = nil }
      group.changes += cache.names.changes(
        of: change.customer, from: change.before, at: position.time, to: change.after, at: position.time)
      setMoment(of: change.customer, in: change.after)
    }
    isInside = !entry.isWhole
    group.isWhole = entry.isWhole
  }
}

/// Why changes can't be given from a position on.
package enum WatchFailure: Error, Equatable {
  /// The position is older than what is kept.
  case tooOld(oldest: ChangePosition)
  /// The position hasn't come yet.
  case future(present: ChangePosition)
  /// What follows has gone before it was taken.
  case lost(oldest: ChangePosition)
}
