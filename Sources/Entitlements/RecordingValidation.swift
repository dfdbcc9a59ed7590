extension Recording {
  /// Limits on what one recording may hold.
  package static let rowLimit = 1_000
  package static let renewalInfoLimit = 1_000
  package static let linkLimit = 16
  /// The most bytes that a word of Apple's may have which isn't an id.
  package static let wordLimit = 256
  /// The most bytes of one row's or one renewal info's other fields.
  package static let otherFieldsLimit = 4_096

  /// Refuses what can never be right: an id that is empty or over 128 bytes, a word over 256, a time outside the years 1970 to
  /// 9999, a negative count, a link with a transaction that isn't shared.
  ///
  /// Holds for recordings from every door, so that what the ledger sees is within its limits. Errors name the field.
  package func validate() throws(Refusal) {
    if let customer { try FieldCheck.check(customer, named: "customer_id") }
    try FieldCheck.check(receivedAt, named: "received_at_ms")
    try check(rows.count <= Recording.rowLimit, "transaction", "a recording has at most \(Recording.rowLimit) transactions")
    try check(
      renewalInfos.count <= Recording.renewalInfoLimit, "renewal_info",
      "a recording has at most \(Recording.renewalInfoLimit) renewal infos")
    try check(sharedFrom.count <= Recording.linkLimit, "shared_from", "at most \(Recording.linkLimit) links in one recording")
    for link in sharedFrom { try FieldCheck.check(link, named: "shared_from") }
    if let notification { try validate(notification) }
    let rows = rows.span
    for index in rows.indices { try validate(rows[index]) }
    for renewal in renewalInfos { try validate(renewal) }
    guard !sharedFrom.isEmpty else { return }
    let isShared = self.rows.allSatisfy { $0.transaction.ownership == .familyShared }
    try check(
      isShared && (!rows.isEmpty || renewalInfos.isEmpty), "shared_from",
      "only a FAMILY_SHARED transaction has a purchase behind it")
  }

  private func validate(_ notification: Notification) throws(Refusal) {
    try check(word: notification.type, named: "notification.type")
    try check(word: notification.subtype, named: "notification.subtype")
    try check(word: notification.uuid, named: "notification.uuid")
    if let moment = notification.signedDate { try FieldCheck.check(moment, named: "notification.signed_date_ms") }
  }

  private func validate(_ row: borrowing Row) throws(Refusal) {
    try validate(row.transaction)
    if let mark = row.revokeMark { try FieldCheck.check(mark, named: "notification.signed_date_ms") }
    try check(word: row.bundleID, named: "transaction.bundle_id")
    try check(otherFields: row.otherFields, named: "transaction.other_fields")
  }

  private func validate(_ transaction: borrowing Transaction) throws(Refusal) {
    try FieldCheck.check(transaction.transactionID, named: "transaction.transaction_id")
    try FieldCheck.check(transaction.originalTransactionID, named: "transaction.original_transaction_id")
    try FieldCheck.check(transaction.productID, named: "transaction.product_id")
    if let id = transaction.appTransactionID { try FieldCheck.check(id, named: "transaction.app_transaction_id") }
    if let token = transaction.appAccountToken {
      try FieldCheck.check(idOf: token.utf8.count, named: "transaction.app_account_token")
    }
    if let moment = transaction.purchaseDate { try FieldCheck.check(moment, named: "transaction.purchase_date_ms") }
    if let moment = transaction.expiresDate { try FieldCheck.check(moment, named: "transaction.expires_date_ms") }
    if let moment = transaction.revocationDate { try FieldCheck.check(moment, named: "transaction.revocation_date_ms") }
    try FieldCheck.check(transaction.signedDate, named: "transaction.signed_date_ms")
    if let price = transaction.priceMilliunits {
      try check(price >= 0, "transaction.price_milliunits", "a price isn't negative, this one is \(price)")
    }
    if let percentage = transaction.revocationPercentage {
      try check(
        (0...100_000).contains(percentage), "transaction.revocation_percentage", "0 to 100000 (100 %), not \(percentage)")
    }
    try check(word: transaction.currency, named: "transaction.currency")
    try validateWords(of: transaction)
  }

  /// Of Apple's words only those that aren't known may be too long.
  private func validateWords(of transaction: borrowing Transaction) throws(Refusal) {
    try check(word: transaction.type?.unknownText, named: "transaction.raw_type")
    try check(word: transaction.ownership.unknownText, named: "transaction.raw_ownership")
    try check(word: transaction.environment?.unknownText, named: "transaction.raw_environment")
    try check(word: transaction.revocationReason?.unknownText, named: "transaction.raw_revocation_reason")
    try check(word: transaction.revocationType?.unknownText, named: "transaction.raw_revocation_type")
  }

  private func validate(_ renewal: Renewal) throws(Refusal) {
    let info = renewal.info
    try FieldCheck.check(info.originalTransactionID, named: "renewal_info.original_transaction_id")
    if let id = info.autoRenewProductID { try FieldCheck.check(id, named: "renewal_info.auto_renew_product_id") }
    try FieldCheck.check(info.signedDate, named: "renewal_info.signed_date_ms")
    if let grace = info.gracePeriodExpiresDate { try FieldCheck.check(grace, named: "renewal_info.grace_period_expires_date_ms") }
    try check(word: info.environment?.unknownText, named: "renewal_info.raw_environment")
    try check(word: renewal.bundleID, named: "renewal_info.bundle_id")
    try check(otherFields: renewal.otherFields, named: "renewal_info.other_fields")
  }

  private func check(word: String?, named field: String) throws(Refusal) {
    try check(word?.utf8.count ?? 0 <= Recording.wordLimit, field, "over \(Recording.wordLimit) bytes")
  }

  private func check(otherFields: String?, named field: String) throws(Refusal) {
    try check(otherFields?.utf8.count ?? 0 <= Recording.otherFieldsLimit, field, "over \(Recording.otherFieldsLimit) bytes")
  }

  private func check(_ holds: Bool, _ field: String, _ problem: @autoclosure () -> String) throws(Refusal) {
    if !holds { throw .invalid(field: field, problem: problem()) }
  }
}
