import Entitlements
import LatchkeyWire
import Protobuf

// A transaction's bytes without its message: histories hold many, and most of what a message costs is not its bytes. This is the
// second list of its fields, which `AnswerBytesTests` holds to the first.

extension MessageEncoder {
  /// Writes a transaction as a nested message, with the same bytes as the message that it gives.
  package mutating func append(_ number: Int, _ transaction: Entitlements.Transaction, bundleID: String? = nil) {
    append(number) { encoder in encoder.append(fieldsOf: transaction, bundleID) }
  }

  /// Writes the fields in the order in which ``LatchkeyWire/Transaction`` lists them, and leaves out what that leaves out.
  private mutating func append(fieldsOf transaction: Entitlements.Transaction, _ bundleID: String?) {
    let type = LatchkeyWire.ProductType.pair(transaction.type)
    let ownership = LatchkeyWire.Ownership.pair(transaction.ownership)
    let environment = LatchkeyWire.Environment.pair(transaction.environment)
    let revocationReason = LatchkeyWire.RevocationReason.pair(transaction.revocationReason)
    let revocationType = LatchkeyWire.RevocationType.pair(transaction.revocationType)
    append(1, transaction.transactionID)
    append(2, transaction.originalTransactionID)
    append(3, transaction.productID)
    append(4, type.0)
    append(5, ownership.0)
    append(6, environment.0)
    if let date = transaction.purchaseDate, date.milliseconds != 0 { append(7, date) }
    if let date = transaction.expiresDate { append(8, date) }
    if let date = transaction.revocationDate { append(9, date) }
    if transaction.signedDate.milliseconds != 0 { append(10, transaction.signedDate) }
    if transaction.isUpgraded { append(11, varint: 1) }
    if let reason = revocationReason.0 { append(12, signed: Int64(reason.rawValue)) }
    append(13, revocationType.0)
    if let percentage = transaction.revocationPercentage { append(14, signed: Int64(percentage)) }
    if let price = transaction.priceMilliunits { append(15, signed: price) }
    if let currency = transaction.currency { append(16, currency) }
    if let account = transaction.appTransactionID { append(17, account) }
    if let token = transaction.appAccountToken { append(18, token) }
    if let bundleID { append(19, bundleID) }
    append(20, type.1)
    append(21, ownership.1)
    append(22, environment.1)
    append(23, revocationReason.1)
    append(24, revocationType.1)
  }

  /// Writes an id, unless it is empty.
  package mutating func append(_ number: Int, _ id: Identifier) {
    id.withBytes { bytes in
      if !bytes.isEmpty { append(number, bytes) }
    }
  }

  /// Writes a text, unless it is empty.
  mutating func append(_ number: Int, _ text: String) {
    if !text.isEmpty { append(number, text.utf8.span) }
  }

  /// Writes a number of an enumeration, unless it is 0.
  package mutating func append(_ number: Int, _ word: some OpenEnumeration) {
    if word.rawValue != 0 { append(number, signed: Int64(word.rawValue)) }
  }

  private mutating func append(_ number: Int, _ moment: Moment) { append(number, signed: moment.milliseconds) }
}
