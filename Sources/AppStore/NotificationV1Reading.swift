import Entitlements
import JSON

/// Values of version 1 notifications: strings for everything, though numbers and booleans are taken too.
extension JSONReader {
  fileprivate func textV1() throws(JSONError) -> String {
    if case .integer(let integer) = value.content { return String(integer) }
    return try text()
  }

  fileprivate func identifierV1() throws(JSONError) -> Identifier { Identifier(try textV1()) }

  fileprivate func integerV1(_ meaning: String) throws(JSONError) -> Int64 {
    guard case .string(let text) = value.content else { return try integer(meaning) }
    guard let integer = Int64(text) else { throw error("expected \(meaning), found \(JSONReader.quoted(text))") }
    return integer
  }

  fileprivate func momentV1() throws(JSONError) -> Moment {
    try moment(milliseconds: try integerV1("milliseconds in digits"))
  }

  fileprivate func codeV1() throws(JSONError) -> Int32 {
    if case .boolean(let isTrue) = value.content { return isTrue ? 1 : 0 }
    let integer = try integerV1("an integer in digits")
    guard let code = Int32(exactly: integer) else { throw error("expected a 32-bit integer, found \(integer)") }
    return code
  }

  fileprivate func booleanV1() throws(JSONError) -> Bool {
    switch value.content {
    case .boolean(let isTrue): return isTrue
    case .string("true"), .string("1"), .integer(1): return true
    case .string("false"), .string("0"), .integer(0): return false
    default: throw expected("\"true\" or \"false\"")
    }
  }

  /// Version 1 spells the environment `PROD` in a body and `Production` in a receipt.
  fileprivate func environmentV1() throws(JSONError) -> Environment {
    let text = try textV1()
    return text == "PROD" ? .production : Environment(text: text)
  }
}

extension AppleDocument {
  /// The most rows, and the most pending renewal infos, of one notification.
  package static let rowLimit = 1_000

  /// Reads a version 1 notification: each row of its receipt, and the renewal infos beside them.
  ///
  /// A REVOKE revokes just the rows that carry a cancellation date, so its type decides nothing.
  mutating func readNotificationV1(_ root: JSONReader, type: String) throws(JSONError) {
    recording.notification = Recording.Notification(type: type)
    guard let receipt = try root.optional("unified_receipt") else {
      warnings.append("the notification has no unified_receipt, so there is nothing to record")
      return
    }
    let ofBody = try root.optional("environment")?.environmentV1()
    let ofReceipt = try receipt.optional("environment")?.environmentV1()
    let envelope = Envelope(environment: ofBody ?? ofReceipt, bundleID: try root.optional("bid")?.textV1())
    for row in try list("latest_receipt_info", of: receipt) {
      recording.rows.append(try Recording.Row(versionOne: row, in: envelope, warnings: &warnings))
    }
    let knownDates = knownDatesByLineage()
    for object in try list("pending_renewal_info", of: receipt) {
      var renewal = try Recording.Renewal(versionOne: object, in: envelope, warnings: &warnings)
      renewal.info.signedDate = knownDates[renewal.info.originalTransactionID] ?? Moment(milliseconds: 0)
      recording.renewalInfos.append(renewal)
    }
  }

  private func list(_ key: String, of receipt: JSONReader) throws(JSONError) -> [JSONReader] {
    guard let list = try receipt.optional(key) else { return [] }
    let elements = try list.elements()
    guard elements.count <= AppleDocument.rowLimit else {
      throw list.error("expected at most \(AppleDocument.rowLimit) rows, found \(elements.count)")
    }
    return elements
  }

  /// The greatest purchase, cancellation or expiry date in the rows of each lineage that isn't after the receipt of the
  /// notification: what dates a renewal info, since version 1 signs none.
  private func knownDatesByLineage() -> [Identifier: Moment] {
    var dates: [Identifier: Moment] = [:]
    for transaction in recording.rows.map(\.transaction) {
      let candidates = [transaction.purchaseDate, transaction.revocationDate, transaction.expiresDate]
      for date in candidates.compactMap({ $0 }) where date <= recording.receivedAt {
        let lineage = transaction.originalTransactionID
        dates[lineage] = max(dates[lineage] ?? date, date)
      }
    }
    return dates
  }
}

extension Recording.Row {
  private static let readFieldsV1: Set<String> = [
    "transaction_id", "original_transaction_id", "product_id", "bid", "in_app_ownership_type", "purchase_date_ms",
    "expires_date_ms", "is_upgraded", "cancellation_date_ms", "cancellation_reason", "app_transaction_id", "app_account_token",
  ]

  /// Reads a row of `latest_receipt_info`. It has no type, and the greater of its purchase and cancellation dates stands for its
  /// signed date.
  fileprivate init(versionOne object: JSONReader, in envelope: Envelope, warnings: inout [String]) throws(JSONError) {
    var transaction = Transaction(
      transactionID: try object.required("transaction_id").identifierV1(),
      originalTransactionID: try object.optional("original_transaction_id")?.identifierV1(),
      productID: try object.required("product_id").identifier(),
      ownership: try object.optional("in_app_ownership_type")?.word() ?? .purchased,
      environment: envelope.environment,
      purchaseDate: try object.optional("purchase_date_ms")?.momentV1(),
      expiresDate: try object.optional("expires_date_ms")?.momentV1(),
      isUpgraded: try object.optional("is_upgraded")?.booleanV1() ?? false)
    transaction.revocationDate = try object.optional("cancellation_date_ms")?.momentV1()
    transaction.revocationReason = try object.optional("cancellation_reason")?.revocationReason()
    transaction.appTransactionID = try object.optional("app_transaction_id")?.identifierV1()
    transaction.appAccountToken = try object.optional("app_account_token")?.text()
    let dates = [transaction.purchaseDate, transaction.revocationDate].compactMap { $0 }
    transaction.signedDate = dates.max() ?? Moment(milliseconds: 0)
    self.init(transaction: transaction, bundleID: try object.optional("bid")?.textV1() ?? envelope.bundleID)
    otherFields = try OtherFields.kept(of: object, except: Recording.Row.readFieldsV1, name: name, warnings: &warnings)
  }
}

extension Recording.Renewal {
  private static let readFieldsV1: Set<String> = [
    "original_transaction_id", "grace_period_expires_date_ms", "is_in_billing_retry_period", "auto_renew_product_id",
    "auto_renew_status", "expiration_intent",
  ]

  /// Reads an element of `pending_renewal_info`, which has no date of its own.
  fileprivate init(versionOne object: JSONReader, in envelope: Envelope, warnings: inout [String]) throws(JSONError) {
    let info = RenewalInfo(
      originalTransactionID: try object.required("original_transaction_id").identifierV1(),
      environment: envelope.environment,
      gracePeriodExpiresDate: try object.optional("grace_period_expires_date_ms")?.momentV1(),
      isInBillingRetryPeriod: try object.optional("is_in_billing_retry_period")?.booleanV1() ?? false,
      autoRenewProductID: try object.optional("auto_renew_product_id")?.identifier(),
      autoRenewStatus: try object.optional("auto_renew_status")?.codeV1(),
      expirationIntent: try object.optional("expiration_intent")?.codeV1())
    self.init(info: info, bundleID: envelope.bundleID)
    otherFields = try OtherFields.kept(of: object, except: Recording.Renewal.readFieldsV1, name: name, warnings: &warnings)
  }
}
