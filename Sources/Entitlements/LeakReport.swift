/// What being late costs: whom Latchkey let in on payments that were revoked, and how often.
package struct LeakReport: Hashable, Sendable {
  /// The revocations of the window that cost the most.
  package internal(set) var revocations: [Leak] = []
  /// How many revocations lie in the window.
  package internal(set) var revocationCount = 0
  /// Over all of them: the checks that were allowed on these payments, and those of them that came too late.
  package internal(set) var served = CheckCount()
  package internal(set) var late = CheckCount()
  /// Shared transactions that grant although the purchase behind them was refunded and nothing else is behind: there must be none.
  package internal(set) var stillActive = Listed<Identifier>()
  /// Purchases that more people share than a family has.
  package internal(set) var crowded = Listed<Crowd>()
  /// Transactions that nobody holds.
  package internal(set) var unclaimedByAge = AgeClasses()

  /// A purchase with how many people it serves.
  package struct Crowd: Hashable, Sendable {
    package var purchase: Identifier
    package var people: Int
  }

  /// Some of the things that were found, and how many there are.
  package struct Listed<Element: Hashable & Sendable>: Hashable, Sendable {
    package private(set) var first: [Element] = []
    package private(set) var count = 0

    /// How many are kept.
    package static var limit: Int { 100 }

    mutating func add(_ element: Element) {
      count += 1
      if first.count < Self.limit { first.append(element) }
    }
  }
}

/// One revocation, and what was served on its payment.
package struct Leak: Hashable, Sendable {
  package var transactionID: Identifier
  package var productID: Identifier
  package var kind: RefundClass
  package var revokedFrom: Moment
  /// When it was first recorded; nil where that isn't known.
  package var recordedAt: Moment?
  /// The people who were served on this one payment.
  package var people: Int
  /// The checks of these people that were allowed since the purchase.
  package var served: CheckCount
  /// The checks that were allowed from the revocation on, before it was recorded.
  package var late: CheckCount

  /// Whether it costs more than another one: more late checks, then more checks, then the lesser id.
  fileprivate func precedes(_ other: Leak) -> Bool {
    if late.checks != other.late.checks { return late.checks > other.late.checks }
    if served.checks != other.served.checks { return served.checks > other.served.checks }
    return transactionID < other.transactionID
  }
}

/// What is known of the checks that were allowed, beside the ledger.
package protocol UsageReading {
  /// The allowed checks of a customer and an entitlement.
  func usage(of customer: CustomerID, _ entitlement: Identifier) -> Usage
  /// The late checks of a revocation, as they were counted when it was recorded; nil where they weren't.
  func lateChecks(of transaction: ScopedID) -> CheckCount?
}

/// A leak report in the making: records are counted one after the other, in any slices of a ledger that goes on.
package struct LeakTally: Sendable {
  private let scope: ReportScope
  private let now: Moment
  private let limit: Int
  private var counted = LeakReport()

  /// - Parameter limit: how many revocations are listed.
  package init(_ scope: ReportScope, limit: Int, at now: Moment) {
    self.scope = scope
    self.limit = limit
    self.now = now
  }

  /// The report over what was counted so far.
  package var report: LeakReport {
    var report = counted
    report.revocations = costliest
    return report
  }

  private var costliest: [Leak] { Array(counted.revocations.sorted { $0.precedes($1) }.prefix(limit)) }

  /// Counts a record, unless it is of another environment than the server's.
  package mutating func count(_ number: RecordNumber, in ledger: Ledger, _ usage: some UsageReading) {
    let records = ledger.records
    guard records.environment(of: number) == ledger.settings.environment, scope.covers(records.productID(of: number)) else {
      return
    }
    if let date = records.revokedFrom(of: number), scope.covers(date), let leak = ledger.leak(of: number, at: now, usage) {
      add(leak)
    }
    if ledger.isActiveWithoutPurchase(number, at: now) { counted.stillActive.add(records.transactionID(of: number)) }
    for crowd in ledger.crowds(first: number) { counted.crowded.add(crowd) }
    if !records.hasHolder(number), !records.isAnonymous(number) {
      counted.unclaimedByAge.count(since: records.firstRecordedAt(of: number), at: now)
    }
  }

  private mutating func add(_ leak: Leak) {
    counted.revocationCount += 1
    counted.served += leak.served
    counted.late += leak.late
    counted.revocations.append(leak)
    // Now and then, so that a crowd of revocations takes no crowd of memory.
    if counted.revocations.count >= limit * 2 + 1_024 { counted.revocations = costliest }
  }
}
