import Entitlements
import LatchkeyWire
import Protobuf

/// The fields of a transaction's message, read in place: numbers as they are, and of texts where they stand in the bytes.
///
/// Most of what a message costs is making texts of its own, and giving them up again.
package struct TransactionFields {
  let transactionID: Range<Int>
  let originalTransactionID: Range<Int>
  let productID: Range<Int>
  let type: LatchkeyWire.ProductType
  let ownership: LatchkeyWire.Ownership
  let environment: LatchkeyWire.Environment
  let purchaseDate: Int64
  let expiresDate: Int64?
  let revocationDate: Int64?
  let signedDate: Int64
  let isUpgraded: Bool
  let revocationReason: Int32?
  let revocationType: LatchkeyWire.RevocationType
  let revocationPercentage: Int32?
  let price: Int64?
  let currency: Range<Int>
  let appTransactionID: Range<Int>
  let appAccountToken: Range<Int>
  package let bundleID: Range<Int>
  let rawType: Range<Int>
  let rawOwnership: Range<Int>
  let rawEnvironment: Range<Int>
  let rawRevocationReason: Range<Int>
  let rawRevocationType: Range<Int>

  /// Where the fields stand that many transactions have in common: those of the product and its kind, what became of it and its
  /// price, and words without a number.
  let traits: (product: Range<Int>, price: Range<Int>, words: Range<Int>)

  /// Reads a message to its end; nil where it isn't as it is written.
  package init?(_ message: OrderedFields, in bytes: RawSpan) {
    var fields = message
    transactionID = fields.text(1, in: bytes)
    originalTransactionID = fields.text(2, in: bytes)
    let productStart = fields.offset
    productID = fields.text(3, in: bytes)
    type = fields.enumeration(4, in: bytes)
    ownership = fields.enumeration(5, in: bytes)
    environment = fields.enumeration(6, in: bytes)
    let productEnd = fields.offset
    purchaseDate = fields.integer(7, in: bytes)
    expiresDate = fields.presentInteger(8, in: bytes)
    revocationDate = fields.presentInteger(9, in: bytes)
    signedDate = fields.integer(10, in: bytes)
    let priceStart = fields.offset
    isUpgraded = fields.bool(11, in: bytes)
    revocationReason = fields.presentShortInteger(12, in: bytes)
    revocationType = fields.enumeration(13, in: bytes)
    revocationPercentage = fields.presentShortInteger(14, in: bytes)
    price = fields.presentInteger(15, in: bytes)
    currency = fields.text(16, in: bytes)
    let priceEnd = fields.offset
    appTransactionID = fields.text(17, in: bytes)
    appAccountToken = fields.text(18, in: bytes)
    bundleID = fields.text(19, in: bytes)
    let wordsStart = fields.offset
    rawType = fields.text(20, in: bytes)
    rawOwnership = fields.text(21, in: bytes)
    rawEnvironment = fields.text(22, in: bytes)
    rawRevocationReason = fields.text(23, in: bytes)
    rawRevocationType = fields.text(24, in: bytes)
    guard fields.isComplete else { return nil }
    traits = (productStart..<productEnd, priceStart..<priceEnd, wordsStart..<fields.offset)
  }

  /// Whether some word of Apple's is given as text.
  package var hasRawWords: Bool { !traits.words.isEmpty }
}

extension Entitlements.Transaction {
  /// Takes a transaction from its fields, as from its message.
  package init(_ fields: TransactionFields, in bytes: RawSpan) {
    self.init(
      transactionID: Identifier(bytes, fields.transactionID),
      originalTransactionID: Identifier(present: fields.originalTransactionID, in: bytes),
      productID: Identifier(bytes, fields.productID),
      type: ProductType(fields.type, raw: String(bytes, fields.rawType)),
      ownership: Ownership(fields.ownership, raw: String(bytes, fields.rawOwnership)),
      environment: Environment(fields.environment, raw: String(bytes, fields.rawEnvironment)),
      purchaseDate: fields.purchaseDate == 0 ? nil : Moment(milliseconds: fields.purchaseDate),
      expiresDate: fields.expiresDate.map { Moment(milliseconds: $0) },
      signedDate: Moment(milliseconds: fields.signedDate),
      isUpgraded: fields.isUpgraded,
      revocationDate: fields.revocationDate.map { Moment(milliseconds: $0) },
      revocationReason: fields.revocationReason.map {
        RevocationReason(LatchkeyWire.RevocationReason(rawValue: $0), raw: String(bytes, fields.rawRevocationReason))
      },
      revocationType: RevocationType(fields.revocationType, raw: String(bytes, fields.rawRevocationType)),
      revocationPercentage: fields.revocationPercentage,
      priceMilliunits: fields.price,
      currency: String(present: fields.currency, in: bytes),
      appTransactionID: Identifier(present: fields.appTransactionID, in: bytes),
      appAccountToken: String(present: fields.appAccountToken, in: bytes))
  }
}

// MARK: - Texts in place

extension Identifier {
  /// The id whose text stands in a place.
  package init(_ bytes: RawSpan, _ place: Range<Int>) { self.init(utf8: bytes.extracting(place)) }

  /// The id whose text stands in a place; nil where that is empty.
  package init?(present place: Range<Int>, in bytes: RawSpan) {
    if place.isEmpty { return nil }
    self.init(bytes, place)
  }
}

extension String {
  /// The text that stands in a place.
  init(_ bytes: RawSpan, _ place: Range<Int>) {
    self = place.isEmpty ? "" : unsafe bytes.extracting(place).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// The text that stands in a place; nil where that is empty.
  package init?(present place: Range<Int>, in bytes: RawSpan) {
    if place.isEmpty { return nil }
    self.init(bytes, place)
  }
}
