import Entitlements
import LatchkeyWire
import Protobuf

// Records of a snapshot from their bytes into the ledger, without messages: a start reads as many as there are transactions.

/// The fields of an entry that is a record, read in place.
struct RecordFields {
  let transaction: TransactionFields
  let holder: Range<Int>?
  let link: Range<Int>?
  let earliestRevokedVersion: Int64?
  let firstRecordedAt: Int64
  let recordedAt: Int64
  let source: LatchkeyWire.Source
  let revocationRecordedAt: Int64?
  /// Where the entry stands without the record's number: the bytes that the digest is of.
  let digested: Range<Int>
  /// In the ledger of which the snapshot is.
  let number: RecordNumber?

  /// Reads a ``StoredEntry``; nil where it is no record, one without an id, of several holders or links or with marks, or isn't as it
  /// is written.
  init?(entry bytes: RawSpan) {
    var entry = OrderedFields(filling: bytes)
    guard var fields = entry.message(3, in: bytes), let message = fields.message(1, in: bytes),
      let transaction = TransactionFields(message, in: bytes), !transaction.transactionID.isEmpty
    else { return nil }
    self.transaction = transaction
    digested = 0..<entry.offset
    holder = fields.element(2, in: bytes)
    link = fields.element(3, in: bytes)
    earliestRevokedVersion = fields.presentInteger(5, in: bytes)
    firstRecordedAt = fields.integer(6, in: bytes)
    recordedAt = fields.integer(7, in: bytes)
    source = fields.enumeration(8, in: bytes)
    revocationRecordedAt = fields.presentInteger(9, in: bytes)
    let numberPlusOne = UInt64(bitPattern: entry.integer(22, in: bytes))
    number = numberPlusOne == 0 ? nil : RecordNumber(clamping: numberPlusOne - 1)
    guard fields.isComplete, entry.isComplete else { return nil }
  }
}

extension RecordParts {
  /// Takes the parts of a record from its fields, as of a `Record` from its message.
  init(_ fields: RecordFields, in bytes: RawSpan) {
    let transaction = fields.transaction
    let lineage = transaction.originalTransactionID.isEmpty ? transaction.transactionID : transaction.originalTransactionID
    self.init(
      transactionID: Identifier(bytes, transaction.transactionID), originalTransactionID: Identifier(bytes, lineage),
      signedDate: Moment(milliseconds: transaction.signedDate), firstRecordedAt: Moment(milliseconds: fields.firstRecordedAt),
      recordedAt: Moment(milliseconds: fields.recordedAt))
    appTransactionID = Identifier(present: transaction.appTransactionID, in: bytes)
    holder = fields.holder.map { Identifier(bytes, $0) }
    link = fields.link.map { Identifier(bytes, $0) }
    let token = transaction.appAccountToken
    if let holder = fields.holder { hasHolderAsToken = !token.isEmpty && bytes.hasSameBytes(token, holder) }
    if !hasHolderAsToken { appAccountToken = String(present: token, in: bytes) }
    if transaction.purchaseDate != 0 { purchaseDate = Moment(milliseconds: transaction.purchaseDate) }
    expiresDate = transaction.expiresDate.map { Moment(milliseconds: $0) }
    revocationDate = transaction.revocationDate.map { Moment(milliseconds: $0) }
    earliestRevokedVersion = fields.earliestRevokedVersion.map { Moment(milliseconds: $0) }
    revocationRecordedAt = fields.revocationRecordedAt.map { Moment(milliseconds: $0) }
  }
}

/// The traits of the records that were read, by the bytes that say them: most records have those of others.
struct MetTraits {
  private var met: [[UInt8]: KnownTraits] = [:]
  private var key: [UInt8] = []

  /// How many are kept; of more, those that come later are read by their message each time.
  private static let limit = 65_536

  /// The traits of a record, if a record with the same ones was met. What these fields say is all that ``RecordTraits`` hold.
  mutating func traits(of fields: RecordFields, in bytes: RawSpan) -> KnownTraits? {
    key.removeAll(keepingCapacity: true)
    let places = fields.transaction.traits
    for place in [places.product, places.price, places.words] {
      unsafe bytes.extracting(place).withUnsafeBytes { unsafe key.append(contentsOf: $0) }
    }
    unsafe withUnsafeBytes(of: fields.source.rawValue) { unsafe key.append(contentsOf: $0) }
    return met[key]
  }

  /// Keeps the traits of the record that was asked about last.
  mutating func keep(_ traits: KnownTraits) { if met.count < MetTraits.limit { met[key] = traits } }
}

extension RawSpan {
  /// Whether the same bytes stand in two places.
  fileprivate func hasSameBytes(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
    guard one.count == other.count else { return false }
    for (mine, theirs) in zip(one, other)
    where unsafe unsafeLoad(fromByteOffset: mine, as: UInt8.self) != unsafeLoad(fromByteOffset: theirs, as: UInt8.self) {
      return false
    }
    return true
  }
}
