import Entitlements
import Testing

/// Limits on a recording, at the limit and one beside it, with the name of the field.
struct ValidationTests {
  /// The field that refuses it; nil if it is valid.
  private func refusedField(_ recording: Recording) -> String? {
    do {
      try recording.validate()
      return nil
    } catch {
      guard case .invalid(let field, _) = error else { return "precondition" }
      return field
    }
  }

  private func refusedField(of version: Transaction) -> String? {
    refusedField(Recording(rows: [.init(transaction: version)], receivedAt: day(0)))
  }

  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test(arguments: [(0, false), (1, true), (127, true), (128, true), (129, false)])
  func `an id has 1 to 128 bytes`(count: Int, isValid: Bool) {
    let id = Identifier(text(count))
    func expect(_ field: String, _ refused: String?) { #expect(refused == (isValid ? nil : field)) }
    expect("customer_id", refusedField(Recording(customer: id, receivedAt: day(0))))
    let copy = Recording.Row(transaction: lifetime("1") { $0.share() })
    expect("shared_from", refusedField(Recording(rows: [copy], sharedFrom: ["5", id], receivedAt: day(0))))
    expect("transaction.transaction_id", refusedField(of: lifetime("1") { $0.transactionID = id }))
    expect("transaction.original_transaction_id", refusedField(of: lifetime("1") { $0.originalTransactionID = id }))
    expect("transaction.product_id", refusedField(of: lifetime("1") { $0.productID = id }))
    expect("transaction.app_transaction_id", refusedField(of: lifetime("1") { $0.appTransactionID = id }))
    expect("transaction.app_account_token", refusedField(of: lifetime("1") { $0.appAccountToken = id.text }))
    let info = renewal(of: id, signed: day(0))
    expect("renewal_info.original_transaction_id", refusedField(Recording(renewalInfos: [.init(info: info)], receivedAt: day(0))))
    var next = renewal(of: "1", signed: day(0))
    next.autoRenewProductID = id
    expect("renewal_info.auto_renew_product_id", refusedField(Recording(renewalInfos: [.init(info: next)], receivedAt: day(0))))
  }

  @Test func `an id is measured in bytes`() {
    #expect(refusedField(Recording(customer: Identifier(String(repeating: "é", count: 64)), receivedAt: day(0))) == nil)
    #expect(
      refusedField(Recording(customer: Identifier(String(repeating: "é", count: 65)), receivedAt: day(0))) == "customer_id")
  }

  @Test(
    arguments: [
      (-1, false), (0, true), (1, true), (253_402_300_799_998, true), (253_402_300_799_999, true), (253_402_300_800_000, false),
      (.min, false), (.max, false),
    ] as [(Int64, Bool)])
  func `a time is in the years 1970 to 9999`(milliseconds: Int64, isValid: Bool) {
    let moment = Moment(milliseconds: milliseconds)
    func expect(_ field: String, _ refused: String?) { #expect(refused == (isValid ? nil : field)) }
    expect("received_at_ms", refusedField(Recording(receivedAt: moment)))
    expect("transaction.purchase_date_ms", refusedField(of: lifetime("1") { $0.purchaseDate = moment }))
    expect("transaction.expires_date_ms", refusedField(of: lifetime("1") { $0.expiresDate = moment }))
    expect("transaction.revocation_date_ms", refusedField(of: lifetime("1") { $0.revocationDate = moment }))
    expect("transaction.signed_date_ms", refusedField(of: lifetime("1") { $0.signedDate = moment }))
    let marked = Recording.Row(transaction: lifetime("1"), revokeMark: moment)
    expect("notification.signed_date_ms", refusedField(Recording(rows: [marked], receivedAt: day(0))))
    let infos = [renewal(of: "1", signed: moment), renewal(of: "1", signed: day(0), grace: moment)]
    let fields = ["renewal_info.signed_date_ms", "renewal_info.grace_period_expires_date_ms"]
    for (info, field) in zip(infos, fields) {
      expect(field, refusedField(Recording(renewalInfos: [.init(info: info)], receivedAt: day(0))))
    }
    expect("notification.signed_date_ms", refusedField(Recording(notification: .init(signedDate: moment), receivedAt: day(0))))
  }

  @Test(arguments: [(Recording.rowLimit - 1, true), (Recording.rowLimit, true), (Recording.rowLimit + 1, false)])
  func `a recording has a thousand rows at most`(count: Int, isValid: Bool) {
    let rows = Array(repeating: Recording.Row(transaction: lifetime("1")), count: count)
    #expect(refusedField(Recording(rows: rows, receivedAt: day(0))) == (isValid ? nil : "transaction"))
  }

  @Test(arguments: [
    (Recording.renewalInfoLimit - 1, true), (Recording.renewalInfoLimit, true), (Recording.renewalInfoLimit + 1, false),
  ])
  func `a recording has a thousand renewal infos at most`(count: Int, isValid: Bool) {
    let infos = Array(repeating: Recording.Renewal(info: renewal(of: "1", signed: day(0))), count: count)
    #expect(refusedField(Recording(renewalInfos: infos, receivedAt: day(0))) == (isValid ? nil : "renewal_info"))
  }

  @Test(arguments: [(4_095, true), (4_096, true), (4_097, false)])
  func `the other fields of a row or a renewal info have at most 4 KiB`(count: Int, isValid: Bool) {
    let row = Recording.Row(transaction: lifetime("1"), otherFields: text(count))
    #expect(refusedField(Recording(rows: [row], receivedAt: day(0))) == (isValid ? nil : "transaction.other_fields"))
    let info = Recording.Renewal(info: renewal(of: "1", signed: day(0)), otherFields: text(count))
    #expect(refusedField(Recording(renewalInfos: [info], receivedAt: day(0))) == (isValid ? nil : "renewal_info.other_fields"))
  }

  @Test(arguments: [(Recording.linkLimit - 1, true), (Recording.linkLimit, true), (Recording.linkLimit + 1, false)])
  func `a recording has sixteen links at most`(count: Int, isValid: Bool) {
    let links = (0..<count).map { Identifier("\($0)") }
    let copy = Recording.Row(transaction: lifetime("1") { $0.share() })
    #expect(refusedField(Recording(rows: [copy], sharedFrom: links, receivedAt: day(0))) == (isValid ? nil : "shared_from"))
  }

  @Test func `a link needs shared transactions alone beside it`() {
    let copy = Recording.Row(transaction: lifetime("1") { $0.share() })
    let purchase = Recording.Row(transaction: lifetime("2"))
    let unknown = Recording.Row(transaction: lifetime("2") { $0.ownership = .other("ASSIGNED") })
    let info = Recording.Renewal(info: renewal(of: "1", signed: day(0)))
    func field(_ rows: [Recording.Row], _ infos: [Recording.Renewal] = []) -> String? {
      refusedField(Recording(rows: rows, renewalInfos: infos, sharedFrom: ["5"], receivedAt: day(0)))
    }
    #expect(field([copy]) == nil)
    #expect(field([copy], [info]) == nil)
    #expect(field([]) == nil)
    for rows in [[purchase], [unknown], [copy, purchase]] { #expect(field(rows) == "shared_from") }
    #expect(field([], [info]) == "shared_from")
  }

  @Test(arguments: [(-1, false), (0, true), (1, true), (.max, true)] as [(Int64, Bool)])
  func `a price isn't negative`(price: Int64, isValid: Bool) {
    #expect(
      refusedField(of: lifetime("1") { $0.priceMilliunits = price }) == (isValid ? nil : "transaction.price_milliunits"))
  }

  @Test(arguments: [(-1, false), (0, true), (99_999, true), (100_000, true), (100_001, false)] as [(Int32, Bool)])
  func `a percentage is at most the whole`(percentage: Int32, isValid: Bool) {
    #expect(
      refusedField(of: lifetime("1") { $0.revocationPercentage = percentage })
        == (isValid ? nil : "transaction.revocation_percentage"))
  }

  @Test(arguments: [(0, true), (255, true), (256, true), (257, false)])
  func `a word of Apple's has at most 256 bytes`(count: Int, isValid: Bool) {
    let word = text(count)
    func expect(_ field: String, _ change: (inout Transaction) -> Void) {
      #expect(refusedField(of: lifetime("1", change)) == (isValid ? nil : "transaction." + field))
    }
    expect("raw_type") { $0.type = .other(word) }
    expect("raw_ownership") { $0.ownership = .other(word) }
    expect("raw_environment") { $0.environment = .other(word) }
    expect("raw_revocation_reason") { $0.revocationReason = .unnamed(word) }
    expect("raw_revocation_type") { $0.revocationType = .other(word) }
    expect("currency") { $0.currency = word }
    let row = Recording.Row(transaction: lifetime("1"), bundleID: word)
    #expect(refusedField(Recording(rows: [row], receivedAt: day(0))) == (isValid ? nil : "transaction.bundle_id"))
  }

  @Test(arguments: [(0, true), (255, true), (256, true), (257, false)])
  func `a word of a notification or a renewal info has at most 256 bytes`(count: Int, isValid: Bool) {
    let word = text(count)
    func expect(_ field: String, _ recording: Recording) { #expect(refusedField(recording) == (isValid ? nil : field)) }
    expect("notification.type", Recording(notification: .init(type: word), receivedAt: day(0)))
    expect("notification.subtype", Recording(notification: .init(subtype: word), receivedAt: day(0)))
    expect("notification.uuid", Recording(notification: .init(uuid: word), receivedAt: day(0)))
    let info = renewal(of: "1", signed: day(0))
    expect("renewal_info.bundle_id", Recording(renewalInfos: [.init(info: info, bundleID: word)], receivedAt: day(0)))
    let elsewhere = renewal(of: "1", signed: day(0), environment: .other(word))
    expect("renewal_info.raw_environment", Recording(renewalInfos: [.init(info: elsewhere)], receivedAt: day(0)))
  }

  @Test func `a refusal names its field and its problem`() {
    let refusal = Refusal.invalid(field: "customer_id", problem: "is missing or empty")
    #expect("\(refusal)" == "customer_id: is missing or empty")
  }

  @Test(arguments: [
    "Auto-Renewable Subscription", "Non-Consumable", "Non-Renewing Subscription", "Consumable", "", "Consumable ", "Étrange",
  ])
  func `a word of Apple's keeps its text, known or not`(text: String) {
    #expect(ProductType(text: text).text == text)
    #expect(Ownership(text: text).text == text)
    #expect(Environment(text: text).text == text)
    #expect(RevocationReason(text: text).text == text)
    #expect(RevocationType(text: text).text == text)
  }

  @Test func `Apple's known words are known`() {
    #expect([Ownership(text: "PURCHASED"), Ownership(text: "FAMILY_SHARED")] == [.purchased, .familyShared])
    #expect(
      ["Production", "Sandbox", "Xcode", "LocalTesting"].map { Environment(text: $0) }
        == [.production, .sandbox, .xcode, .localTesting])
    #expect(["0", "1", "upgradedToBundle"].map { RevocationReason(text: $0) } == [.other, .developerIssue, .upgradedToBundle])
    #expect(
      ["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE"].map { RevocationType(text: $0) }
        == [.refundFull, .refundProrated, .familyRevoke])
  }
}
