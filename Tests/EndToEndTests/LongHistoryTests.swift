import Foundation
import TestSupport
import Testing

/// A customer with 2,000 transactions: five and a half years of daily renewals in ten lineages, rehearsed.
///
/// The scenario is written here, since its file would be larger than all others together.
struct LongHistoryTests {
  private typealias Object = [String: any Sendable]

  private static let product = "pro.daily"
  private static let millisecondsADay = 86_400_000

  /// Milliseconds of a day's beginning, counted from 2021-01-01, and of some hours after it.
  private static func moment(_ day: Int, hours: Int = 0) -> Int { 1_609_459_200_000 + day * millisecondsADay + hours * 3_600_000 }

  private static func text(_ milliseconds: Int) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
  }

  /// Every 200 days the customer subscribed anew.
  private static func lineage(_ day: Int) -> String { "\(day / 200 * 200)" }

  /// The renewal of one day as a version 1 receipt has it.
  private static func row(_ day: Int) -> Object {
    [
      "transaction_id": "\(day)", "original_transaction_id": lineage(day), "product_id": product,
      "purchase_date_ms": "\(moment(day))", "expires_date_ms": "\(moment(day + 1))", "in_app_ownership_type": "PURCHASED",
    ]
  }

  /// The same as version 2 has it.
  private static func transaction(_ day: Int) -> Object {
    [
      "transactionId": "\(day)", "originalTransactionId": lineage(day), "productId": product,
      "type": "Auto-Renewable Subscription",
      "environment": "Production", "purchaseDate": moment(day), "expiresDate": moment(day + 1), "signedDate": moment(day),
    ]
  }

  /// 1,980 renewals in receipts of 99 rows, and the last 20 one by one.
  private static var recordings: [Object] {
    let receipts = stride(from: 0, to: 1_980, by: 99).map { first -> Object in
      let receipt: Object = ["latest_receipt_info": (first..<first + 99).map(row)]
      let notification: Object = ["notification_type": "DID_RENEW", "environment": "PROD", "unified_receipt": receipt]
      return ["record": ["notification_v1": notification, "customer": "ana"] as Object]
    }
    let renewals = (1_980..<2_000).map { day -> Object in
      ["record": ["transaction": transaction(day), "customer": "ana"] as Object]
    }
    return receipts + renewals
  }

  private static func check(_ customer: String, at moment: Int, _ reason: String, until: Int? = nil) -> Object {
    var check: Object = [
      "customer": customer, "entitlement": product, "at": text(moment), "allowed": until != nil, "reason": reason,
    ]
    if let until { check["valid_until"] = text(until) }
    return ["check": check]
  }

  /// A refund at noon of day 1,000, in the middle of the history.
  private static var refund: Object {
    var refunded = transaction(1_000)
    for name in ["revocationDate", "signedDate"] { refunded[name] = moment(1_000, hours: 12) }
    let expected: Object = [
      "outcome": "APPLIED", "customer": "ana",
      "changes": [["customer": "ana", "entitlement": product, "allowed": false] as Object],
    ]
    return ["record": ["transaction": refunded, "expect": expected] as Object]
  }

  private static var answers: [Object] {
    [
      check("ana", at: moment(-1), "NOT_YET_VALID"), check("ana", at: moment(0), "PURCHASED", until: moment(1)),
      check("ana", at: moment(999, hours: 23), "PURCHASED", until: moment(1_000)),
      check("ana", at: moment(1_000, hours: 11), "PURCHASED", until: moment(1_000, hours: 12)),
      check("ana", at: moment(1_000, hours: 12), "REFUNDED"),
      check("ana", at: moment(1_001) - 30_000, "PURCHASED", until: moment(1_002)),
      check("ana", at: moment(1_999, hours: 23), "PURCHASED", until: moment(2_000)),
      check("ana", at: moment(2_000), "EXPIRED"),
    ]
  }

  @Test("2,000 transactions of one customer answer at every end, over a crash, a rebuild and a move") func rehearsal() throws {
    let (everyone, claim): (Object, Object) = (
      ["everyone": true, "corrections": 0], ["transaction": Self.transaction(1_999), "customer": "bob"]
    )
    let refunds: Object = ["refunds": 1, "unclaimed": 0]
    var steps = Self.recordings + [Self.refund] + Self.answers
    steps += [["restart": "kill"], ["rebuild": everyone], ["report": refunds]] + Self.answers
    steps += [
      ["record": claim], Self.check("bob", at: Self.moment(1_799), "NOT_YET_VALID"),
      Self.check("bob", at: Self.moment(1_800), "PURCHASED", until: Self.moment(1_801)),
      Self.check("ana", at: Self.moment(1_799, hours: 23), "PURCHASED", until: Self.moment(1_800)),
      Self.check("ana", at: Self.moment(1_800), "EXPIRED"),
    ]
    let scratch = try Scratch()
    let scenario = try JSONSerialization.data(withJSONObject: ["name": "2,000 transactions", "steps": steps])
    let file = try scratch.write(String(decoding: scenario, as: UTF8.self), to: "scenario.json")
    let finished = try Executable.run(["rehearse", file])
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
  }
}
