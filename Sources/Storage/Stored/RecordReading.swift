import Entitlements
import LatchkeyWire
import Protobuf

// Records of a snapshot, and those that recordings of the journal come to, from their bytes into the ledger, without messages: a start
// reads as many as there are transactions.

/// The fields of a record, read in place from an entry that is one, or from an input that mostly comes to one.
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

  /// Reads a ``StoredInput`` that is the recording of one transaction; nil where it is anything else, links or revokes something or
  /// has renewal infos, or isn't as it is written.
  ///
  /// The holder is whom the recording names.
  init?(input bytes: RawSpan) {
    var input = OrderedFields(filling: bytes)
    guard var fields = input.message(1, in: bytes) else { return nil }
    let customer = fields.text(1, in: bytes)
    guard var row = fields.message(2, in: bytes), let message = row.message(1, in: bytes),
      let transaction = TransactionFields(message, in: bytes), !transaction.transactionID.isEmpty
    else { return nil }
    // No rule uses these, nor the notification.
    _ = row.text(3, in: bytes)
    guard row.isComplete else { return nil }
    self.transaction = transaction
    holder = customer.isEmpty ? nil : customer
    source = fields.enumeration(5, in: bytes)
    recordedAt = fields.integer(6, in: bytes)
    firstRecordedAt = recordedAt
    (link, earliestRevokedVersion, revocationRecordedAt, number) = (nil, nil, nil, nil)
    if let notification = fields.message(7, in: bytes), !RecordFields.isNotification(notification, in: bytes) { return nil }
    _ = input.integer(10, in: bytes)
    guard fields.isComplete, input.isComplete else { return nil }
    digested = 0..<0
  }

  /// Whether it is for an app, as whatever names none is.
  func isForApp(_ bundleID: String?, in bytes: RawSpan) -> Bool {
    guard let bundleID, !transaction.bundleID.isEmpty else { return true }
    return bytes.hasText(bundleID, at: transaction.bundleID)
  }

  private static func isNotification(_ message: OrderedFields, in bytes: RawSpan) -> Bool {
    var fields = message
    for number in 1...3 { _ = fields.text(number, in: bytes) }
    _ = fields.integer(4, in: bytes)
    return fields.isComplete
  }
}

extension RecordParts {
  /// The parts of a record from its fields, as of a `Record` from its message.
  static func of(_ fields: RecordFields, in bytes: RawSpan) -> RecordParts {
    let transaction = fields.transaction
    let lineage = transaction.originalTransactionID.isEmpty ? transaction.transactionID : transaction.originalTransactionID
    var parts = RecordParts(
      transactionID: Identifier(bytes, transaction.transactionID), originalTransactionID: Identifier(bytes, lineage),
      signedDate: Moment(milliseconds: transaction.signedDate), firstRecordedAt: Moment(milliseconds: fields.firstRecordedAt),
      recordedAt: Moment(milliseconds: fields.recordedAt))
    parts.appTransactionID = Identifier(present: transaction.appTransactionID, in: bytes)
    parts.holder = fields.holder.map { Identifier(bytes, $0) }
    parts.link = fields.link.map { Identifier(bytes, $0) }
    let token = transaction.appAccountToken
    if let holder = fields.holder { parts.hasHolderAsToken = !token.isEmpty && bytes.hasSameBytes(token, holder) }
    if !parts.hasHolderAsToken { parts.appAccountToken = String(present: token, in: bytes) }
    if transaction.purchaseDate != 0 { parts.purchaseDate = Moment(milliseconds: transaction.purchaseDate) }
    parts.expiresDate = transaction.expiresDate.map { Moment(milliseconds: $0) }
    parts.revocationDate = transaction.revocationDate.map { Moment(milliseconds: $0) }
    parts.earliestRevokedVersion = fields.earliestRevokedVersion.map { Moment(milliseconds: $0) }
    parts.revocationRecordedAt = fields.revocationRecordedAt.map { Moment(milliseconds: $0) }
    return parts
  }
}

/// The traits of the records that were read, by the bytes that say them: most records have those of others.
struct MetTraits {
  private struct Met {
    var key: [UInt64]
    var traits: KnownTraits
  }

  /// By a hash of the key; of two with the same one, the later stays. Who isn't found is read by the message.
  private var met = [Met?](repeating: nil, count: MetTraits.slotCount)
  /// Of the record that was asked about last.
  private var key: [UInt64] = []

  private static let slotCount = 4_096

  /// The traits of a record, if a record with the same ones was met. What these fields say is all that ``RecordTraits`` hold.
  mutating func traits(of fields: RecordFields, in bytes: RawSpan) -> KnownTraits? {
    key.removeAll(keepingCapacity: true)
    key.append(UInt64(UInt32(bitPattern: fields.source.rawValue)))
    let places = fields.transaction.traits
    appendToKey(places.product, in: bytes)
    appendToKey(places.price, in: bytes)
    appendToKey(places.words, in: bytes)
    guard let met = met[slot], met.key == key else { return nil }
    return met.traits
  }

  /// Keeps the traits of the record that was asked about last.
  mutating func keep(_ traits: KnownTraits) { met[slot] = Met(key: key, traits: traits) }

  /// Adds bytes in words, and zeros to the end of the last: no tag is zero, so that these are no fields.
  private mutating func appendToKey(_ place: Range<Int>, in bytes: RawSpan) {
    var offset = place.lowerBound
    while offset < place.upperBound {
      key.append(bytes.word(at: offset, count: min(8, place.upperBound - offset)))
      offset += 8
    }
  }

  private var slot: Int {
    var hash: UInt64 = 0
    for index in key.indices {
      hash = (hash ^ key[index]) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 32
    }
    return Int(hash % UInt64(MetTraits.slotCount))
  }
}

extension RawSpan {
  /// One to eight bytes as a word, of which the first byte is the lowest.
  fileprivate func word(at offset: Int, count: Int) -> UInt64 {
    if offset + 8 <= byteCount {
      let word = unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      return word & (.max >> UInt64(64 - 8 * count))
    }
    return (offset..<offset + count).reversed().reduce(0) { word, place in
      word << 8 | UInt64(unsafe unsafeLoad(fromByteOffset: place, as: UInt8.self))
    }
  }

  /// Whether a text stands in a place.
  func hasText(_ text: String, at place: Range<Int>) -> Bool {
    let text = text.utf8.span
    guard text.count == place.count else { return false }
    for index in text.indices where unsafe text[index] != unsafeLoad(fromByteOffset: place.lowerBound + index, as: UInt8.self) {
      return false
    }
    return true
  }

  /// Whether the same bytes stand in two places.
  fileprivate func hasSameBytes(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
    guard one.count == other.count else { return false }
    return stride(from: 0, to: one.count, by: 8).allSatisfy { offset in
      let count = min(8, one.count - offset)
      return word(at: one.lowerBound + offset, count: count) == word(at: other.lowerBound + offset, count: count)
    }
  }
}
