/// What a record is packed of, but for its traits and for what hardly any record has: a snapshot's records go into the ledger as
/// these, without a `Record` in between. Not copyable, so that none of the ids in it are copied on the way.
package struct RecordParts: ~Copyable, Sendable {
  package var transactionID: Identifier
  /// Nil only of an anonymous record.
  package var originalTransactionID: Identifier?
  package var appTransactionID: Identifier?
  /// The first holder.
  package var holder: CustomerID?
  /// The first of the lineages that callers named as the purchase behind it.
  package var link: Identifier?
  package var hasHolderAsToken = false
  /// Where it isn't the first holder's id.
  package var appAccountToken: String?
  package var purchaseDate: Moment?
  package var expiresDate: Moment?
  package var signedDate: Moment
  package var firstRecordedAt: Moment
  package var recordedAt: Moment
  package var revocationDate: Moment?
  package var earliestRevokedVersion: Moment?
  package var revocationRecordedAt: Moment?

  /// Makes the parts that every record has; the others are missing.
  package init(
    transactionID: Identifier, originalTransactionID: Identifier?, signedDate: Moment, firstRecordedAt: Moment, recordedAt: Moment
  ) {
    (self.transactionID, self.originalTransactionID) = (transactionID, originalTransactionID)
    (self.signedDate, self.firstRecordedAt, self.recordedAt) = (signedDate, firstRecordedAt, recordedAt)
  }

  /// Makes the parts of the record of a version that is the first and the newest of its transaction.
  init(_ transaction: borrowing Transaction, holder: CustomerID?, recordedAt: Moment) {
    self.init(
      transactionID: transaction.transactionID, originalTransactionID: transaction.originalTransactionID,
      signedDate: transaction.signedDate, firstRecordedAt: recordedAt, recordedAt: recordedAt)
    (appTransactionID, self.holder) = (transaction.appTransactionID, holder)
    if let token = transaction.appAccountToken {
      hasHolderAsToken = holder.map { $0 == CustomerID(token) } ?? false
      if !hasHolderAsToken { appAccountToken = token }
    }
    (purchaseDate, expiresDate, revocationDate) = (transaction.purchaseDate, transaction.expiresDate, transaction.revocationDate)
  }

  init(_ record: Record) {
    self.init(record.transaction, holder: record.holders.first, recordedAt: record.recordedAt)
    if record.isAnonymous { originalTransactionID = nil }
    (firstRecordedAt, link) = (record.firstRecordedAt, record.links.first)
    (earliestRevokedVersion, revocationRecordedAt) = (record.earliestRevokedVersion, record.revocationRecordedAt)
  }
}

extension RecordParts {
  /// Names the holder of a record that names none.
  mutating func give(to holder: CustomerID) {
    self.holder = holder
    guard let token = appAccountToken, CustomerID(token) == holder else { return }
    (hasHolderAsToken, appAccountToken) = (true, nil)
  }

  /// Whether some of them belong into `RecordDetails`.
  fileprivate var haveDetails: Bool {
    firstRecordedAt != recordedAt || appAccountToken != nil || revocationDate != nil || earliestRevokedVersion != nil
      || revocationRecordedAt != nil
  }
}

extension RecordDetails {
  fileprivate init(_ parts: borrowing RecordParts) {
    if parts.firstRecordedAt != parts.recordedAt { firstRecordedAt = parts.firstRecordedAt }
    (revocationDate, earliestRevokedVersion) = (parts.revocationDate, parts.earliestRevokedVersion)
    (revocationRecordedAt, appAccountToken) = (parts.revocationRecordedAt, parts.appAccountToken)
  }
}

/// The traits that some record of a ledger has, as a number by which others that have the same are packed.
package struct KnownTraits: Sendable, BitwiseCopyable {
  let number: Int
  let environment: UInt32
  /// How many traits were lost before: after the next ones, the number may be another's.
  fileprivate let lossCount: Int
}

extension RecordStore {
  /// The numbers of the ids that a record names.
  struct IDNumbers: BitwiseCopyable {
    var lineage = LineageNumber.none
    var account = AccountNumber.none
    var holder = CustomerNumber.none
    var link = LineageNumber.none
  }

  /// Packs a record, and makes the ids known that it names.
  mutating func pack(_ record: Record) -> PackedRecord {
    let known = take(RecordTraits(record))
    let parts = RecordParts(record)
    var packed = packWithoutDetails(parts, known, numbers(of: parts, in: known.environment))
    var details = RecordDetails(parts)
    details.marks = record.marks
    details.otherHolders = record.holders.dropFirst().map { customers.number(of: $0, &texts, adding: KnownCustomer()) }
    details.otherLinks = record.links.dropFirst().map {
      lineages.number(of: $0, in: known.environment, &texts, adding: KnownLineage())
    }
    packed.details = take(details)
    return packed
  }

  /// Packs a record that says nothing but its one version and who holds it, and makes the ids known that it names.
  mutating func pack(_ parts: borrowing RecordParts, _ traits: RecordTraits) -> PackedRecord {
    packAlone(parts, take(traits))
  }

  private mutating func take(_ traits: RecordTraits) -> KnownTraits {
    let number = self.traits.take(traits)
    return KnownTraits(
      number: number, environment: environmentNumber(of: traits.environment), lossCount: self.traits.lossCount)
  }

  /// Packs a record that has the traits of another one, as which it is counted among those that have them.
  mutating func pack(_ parts: borrowing RecordParts, _ known: KnownTraits) -> PackedRecord {
    traits.takeAgain(known.number)
    return packAlone(parts, known)
  }

  /// Packs a record that has the traits of another one, and names ids that are known.
  mutating func pack(_ parts: borrowing RecordParts, _ known: KnownTraits, _ ids: IDNumbers) -> PackedRecord {
    traits.takeAgain(known.number)
    return packAlone(parts, known, ids)
  }

  /// Packs a record of which the parts say all.
  private mutating func packAlone(_ parts: borrowing RecordParts, _ known: KnownTraits) -> PackedRecord {
    packAlone(parts, known, numbers(of: parts, in: known.environment))
  }

  private mutating func packAlone(_ parts: borrowing RecordParts, _ known: KnownTraits, _ ids: IDNumbers) -> PackedRecord {
    var packed = packWithoutDetails(parts, known, ids)
    if parts.haveDetails { packed.details = take(RecordDetails(parts)) }
    return packed
  }

  private mutating func packWithoutDetails(
    _ parts: borrowing RecordParts, _ known: KnownTraits, _ ids: IDNumbers
  ) -> PackedRecord {
    var packed = PackedRecord()
    packed.transactionID = texts.pack(parts.transactionID)
    (packed.purchaseDate, packed.expiresDate) = (parts.purchaseDate, parts.expiresDate)
    (packed.signedDate, packed.recordedAt) = (parts.signedDate, parts.recordedAt)
    packed.traits = known.number
    packed.hasHolderAsToken = parts.hasHolderAsToken
    (packed.lineage, packed.account, packed.holder, packed.link) = (ids.lineage, ids.account, ids.holder, ids.link)
    return packed
  }

  /// Makes the ids known that a record names.
  private mutating func numbers(of parts: borrowing RecordParts, in environment: UInt32) -> IDNumbers {
    var ids = IDNumbers()
    if let lineage = parts.originalTransactionID {
      ids.lineage = lineages.number(of: lineage, in: environment, &texts, adding: KnownLineage())
    }
    if let account = parts.appTransactionID {
      ids.account = accounts.number(of: account, in: environment, &texts, adding: KnownAccount())
    }
    if let holder = parts.holder { ids.holder = customers.number(of: holder, &texts, adding: KnownCustomer()) }
    if let link = parts.link { ids.link = lineages.number(of: link, in: environment, &texts, adding: KnownLineage()) }
    return ids
  }

  /// The traits of a record, by which others are packed for as long as that record has them.
  func knownTraits(of number: RecordNumber) -> KnownTraits {
    let number = packed[number].traits
    guard let environment = environments.firstIndex(of: traits[number].environment) else {
      preconditionFailure("the environment of a record has a number")
    }
    return KnownTraits(number: number, environment: UInt32(environment), lossCount: traits.lossCount)
  }

  /// Whether traits are still those of some record.
  func areKnown(_ traits: KnownTraits) -> Bool { traits.lossCount == self.traits.lossCount }
}
