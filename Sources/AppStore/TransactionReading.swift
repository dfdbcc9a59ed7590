import Entitlements
import JSON

/// What a notification says around a transaction: it stands in where the transaction names none.
struct Envelope {
  var environment: Environment?
  var bundleID: String?
}

extension Recording.Row {
  /// Reads Apple's `JWSTransactionDecodedPayload`, decoded. Fields that no rule uses are kept as they are, of whatever type.
  init(transaction object: JSONReader, in envelope: Envelope, warnings: inout [String]) throws(JSONError) {
    let transaction = try Transaction(object, in: envelope)
    // Only what is negative is wrong with a quantity, since no rule uses it.
    if let quantity = try object.optional("quantity"), case .integer = quantity.value.content { _ = try quantity.count() }
    self.init(transaction: transaction, bundleID: try object.optional("bundleId")?.text() ?? envelope.bundleID)
    otherFields = try OtherFields.kept(of: object, except: Transaction.readFields, name: name, warnings: &warnings)
  }

  /// What warnings call it.
  var name: String { "transaction \(transaction.transactionID)" }
}

extension Transaction {
  /// The fields of Apple's that a transaction or its row holds.
  fileprivate static let readFields: Set<String> = [
    "transactionId", "originalTransactionId", "productId", "bundleId", "type", "inAppOwnershipType", "environment",
    "purchaseDate", "expiresDate", "signedDate", "isUpgraded", "revocationDate", "revocationReason", "revocationType",
    "revocationPercentage", "price", "currency", "appTransactionId", "appAccountToken",
  ]

  /// Reads the fields that a rule, a reason or a report uses.
  fileprivate init(_ object: JSONReader, in envelope: Envelope) throws(JSONError) {
    self.init(
      transactionID: try object.required("transactionId").identifier(),
      originalTransactionID: try object.optional("originalTransactionId")?.identifier(),
      productID: try object.required("productId").identifier(),
      type: try object.optional("type")?.word(),
      ownership: try object.optional("inAppOwnershipType")?.word() ?? .purchased,
      environment: try object.optional("environment")?.word() ?? envelope.environment,
      purchaseDate: try object.optional("purchaseDate")?.moment(),
      expiresDate: try object.optional("expiresDate")?.moment(),
      signedDate: try object.optional("signedDate")?.moment() ?? Moment(milliseconds: 0),
      isUpgraded: try object.optional("isUpgraded")?.boolean() ?? false)
    revocationDate = try object.optional("revocationDate")?.moment()
    revocationReason = try object.optional("revocationReason")?.revocationReason()
    revocationType = try object.optional("revocationType")?.word()
    revocationPercentage = try object.optional("revocationPercentage")?.percentage()
    priceMilliunits = try object.optional("price")?.count()
    currency = try object.optional("currency")?.text()
    appTransactionID = try object.optional("appTransactionId")?.identifier()
    appAccountToken = try object.optional("appAccountToken")?.text()
  }
}
