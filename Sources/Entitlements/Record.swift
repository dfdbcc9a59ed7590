/// What the ledger keeps of one transaction: its newest version, who holds it, and what was learned around it.
package struct Record: Hashable, Sendable {
  /// The newest version. Its environment is never nil here.
  package var transaction: Transaction
  /// Who holds it, first holder first; empty while it is unclaimed.
  package var holders: [CustomerID] = []
  /// The lineages that callers named as the purchase behind it.
  package var links: [Identifier] = []
  /// REVOKE notifications without a revocation date that may still count.
  package var marks: [RevokeMark] = []
  /// The earliest signed date of a version that had a revocation date, whichever arrived first.
  package var earliestRevokedVersion: Moment?
  /// Since when, without a gap, it is on record that this is revoked; nil while it isn't.
  package private(set) var revocationRecordedAt: Moment?
  package var firstRecordedAt: Moment
  /// When the newest version was recorded.
  package var recordedAt: Moment
  /// Where the newest version came from.
  package var source: Source

  /// Puts together what was taken apart.
  init(
    transaction: Transaction, holders: [CustomerID], links: [Identifier], marks: [RevokeMark], earliestRevokedVersion: Moment?,
    revocationRecordedAt: Moment?, firstRecordedAt: Moment, recordedAt: Moment, source: Source
  ) {
    (self.transaction, self.holders, self.links, self.marks) = (transaction, holders, links, marks)
    (self.earliestRevokedVersion, self.revocationRecordedAt) = (earliestRevokedVersion, revocationRecordedAt)
    (self.firstRecordedAt, self.recordedAt, self.source) = (firstRecordedAt, recordedAt, source)
  }

  package init(transaction: Transaction, source: Source, recordedAt: Moment) {
    self.transaction = transaction
    self.source = source
    self.firstRecordedAt = recordedAt
    self.recordedAt = recordedAt
    noteRevocation(of: transaction)
    noteRevocation(at: recordedAt)
  }

  /// Its environment.
  package var environment: Environment {
    guard let environment = transaction.environment else { preconditionFailure("a record knows its environment") }
    return environment
  }

  package var key: ScopedID { ScopedID(environment, transaction.transactionID) }
  package var lineage: ScopedID { ScopedID(environment, transaction.originalTransactionID) }
  /// The account of Apple's that it belongs to, if the newest version names one.
  package var account: ScopedID? { transaction.appTransactionID.map { ScopedID(environment, $0) } }

  /// The date from which it is revoked: its own, else that of the earliest mark that counts.
  package var revokedFrom: Moment? { transaction.revocationDate ?? markedFrom }

  /// The earliest mark that counts, where the version has no revocation date of its own.
  package var markedFrom: Moment? {
    guard transaction.revocationDate == nil else { return nil }
    return marks.earliest(beside: transaction.signedDate)
  }

  /// Whether a refund was reversed: the newest version has no revocation, and one signed before it had.
  package var isReversed: Bool {
    guard transaction.ownership == .purchased, transaction.revocationDate == nil, let earliestRevokedVersion else { return false }
    return earliestRevokedVersion < transaction.signedDate
  }

  /// Keeps a version with a revocation as evidence, even one that arrives stale. Returns whether that was news.
  @discardableResult
  package mutating func noteRevocation(of version: Transaction) -> Bool {
    guard version.revocationDate != nil, version.signedDate < earliestRevokedVersion ?? .distantFuture else { return false }
    earliestRevokedVersion = version.signedDate
    return true
  }

  /// Keeps when a revocation was first recorded, once version and marks are as they are to be; forgets it where there is none.
  /// Returns whether it is revoked and wasn't before.
  @discardableResult
  package mutating func noteRevocation(at moment: Moment) -> Bool {
    guard revokedFrom != nil else {
      revocationRecordedAt = nil
      return false
    }
    guard revocationRecordedAt == nil else { return false }
    revocationRecordedAt = moment
    return true
  }

  /// Puts back when the revocation was first recorded, as a snapshot does.
  package mutating func restore(revocationRecordedAt moment: Moment?) { revocationRecordedAt = moment }
}

/// A REVOKE notification whose transaction carried no revocation date: it revokes all the same.
package struct RevokeMark: Hashable, Sendable {
  /// The moment of revocation: when the notification was signed.
  package var date: Moment
  /// A version signed later than this overrules the mark: later than the notification, and than the version it came with.
  package var lastsThrough: Moment

  package init(date: Moment, lastsThrough: Moment) {
    self.date = date
    self.lastsThrough = lastsThrough
  }

  package init(date: Moment, besideVersion version: Transaction) {
    self.init(date: date, lastsThrough: max(date, version.signedDate))
  }

  /// Whether the mark counts while this version is the newest; one signed in the same millisecond doesn't overrule it.
  package func counts(beside newest: Transaction) -> Bool { counts(besideVersionOf: newest.signedDate) }

  /// The same beside a version that was signed at a moment.
  func counts(besideVersionOf signedDate: Moment) -> Bool { signedDate <= lastsThrough }

  /// Whether this mark makes the other one superfluous, now and ever after.
  package func covers(_ other: RevokeMark) -> Bool { date <= other.date && lastsThrough >= other.lastsThrough }
}

extension [RevokeMark] {
  /// The date of the earliest one that counts beside a version that was signed at a moment.
  func earliest(beside signedDate: Moment) -> Moment? {
    lazy.filter { $0.counts(besideVersionOf: signedDate) }.map(\.date).min()
  }
}
