import Entitlements
import LatchkeyWire
import Protobuf
import Service
import Storage
import TestSupport
import Testing

/// Answers that are written without messages have the bytes that their messages would have.
@Suite struct AnswerBytesTests {
  @Test("A transaction is written with the bytes of its message", arguments: 1...4 as ClosedRange<UInt64>)
  func transactions(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let transaction = Entitlements.Transaction(anyOf: &random)
      var encoder = MessageEncoder()
      encoder.append(1, transaction)
      #expect(encoder.bytes == HistoryEntry.with { $0.transaction = transaction.message() }.encoded())
    }
  }

  /// A store with all that an answer about a customer may tell.
  private func filled() throws -> RunningService {
    let running = try RunningService(catalog: .pro)
    try running.record(.subscription("1"), .lasting("2", product: "forever"))
    try running.record(.shared("3"), for: "bob", sharedFrom: ["1"])
    try running.record(.shared("5"), for: "alice", sharedFrom: ["1"])
    var overdue = RecordTransactionRequest.with { ($0.customerID, $0.transaction) = ("alice", .subscription("4")) }
    overdue.renewalInfo = .with { ($0.signedDateMilliseconds, $0.isInBillingRetryPeriod) = (RunningService.now, true) }
    _ = try running.call(.recordTransaction, overdue, as: RecordTransactionResponse.self)
    try running.record(LatchkeyWire.Transaction.subscription("1").refunded)
    let granting = GrantAccessRequest.with {
      ($0.customerID, $0.entitlement, $0.by, $0.note) = ("alice", "pro", "ines", "a beta tester")
    }
    _ = try running.call(.grantAccess, granting, as: GrantAccessResponse.self)
    return running
  }

  /// Checks that an answer has the bytes of the message that it says, and gives that.
  private func answer<Answer: Message>(
    _ running: RunningService, _ method: LatchkeyWire.Method, _ request: some Message, as type: Answer.Type
  ) throws -> Answer {
    let response = try running.response(on: running.send(Request(method, request)))
    #expect(response.status == nil)
    let answer = try Answer(decoding: response.payload)
    #expect(answer.encoded() == response.payload)
    return answer
  }

  @Test("A page of a history has the bytes of its message", arguments: ["alice", "bob", "nobody"], [0, 1, 2] as [UInt32])
  func histories(customer: String, pageSize: UInt32) throws {
    let running = try filled()
    var request = GetHistoryRequest.with { ($0.customerID, $0.pageSize) = (customer, pageSize) }
    var count = 0
    repeat {
      let page = try answer(running, .getHistory, request, as: GetHistoryResponse.self)
      count += page.entries.count
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    #expect(count == ["alice": 4, "bob": 1][customer, default: 0])
  }

  @Test("An explanation has the bytes of its message", arguments: ["alice", "bob", "nobody"], ["", "pro", "gold"])
  func explanations(customer: String, entitlement: String) throws {
    let request = ExplainAccessRequest.with { ($0.customerID, $0.entitlement) = (customer, entitlement) }
    let explanation = try answer(filled(), .explainAccess, request, as: ExplainAccessResponse.self)
    #expect(explanation.customerKnown == (customer != "nobody"))
    #expect(explanation.transactions.isEmpty == (customer == "nobody" || entitlement == "gold"))
  }
}

extension Entitlements.Transaction {
  /// Draws a transaction whose fields are absent, at their default, ordinary or odd.
  fileprivate init(anyOf random: inout SeededRandom) {
    func word<Word: AppleWord>(_ words: [String]) -> Word { Word(text: words.randomElement(using: &random) ?? "") }
    func moment() -> Moment? {
      [nil, Moment(milliseconds: 0), Moment(milliseconds: -1), Moment(milliseconds: 1_700_000_000_000)]
        .randomElement(using: &random) ?? nil
    }
    func id() -> Identifier {
      Identifier(
        ["", "0", "9999999999999999999", "2000000012345678", "0f0e0d0c-0b0a-0908-0706-050403020100", "Zoë 🗝", text(130)]
          .randomElement(using: &random) ?? "")
    }
    self.init(
      transactionID: id(), originalTransactionID: random.oneIn(3) ? nil : id(), productID: id(),
      type: random.oneIn(3) ? nil : word(["Consumable", "Auto-Renewable Subscription", "Seat", ""]),
      ownership: word(["PURCHASED", "FAMILY_SHARED", "ASSIGNED", ""]),
      environment: random.oneIn(3) ? nil : word(["Production", "Sandbox", "Moon", ""]), purchaseDate: moment(),
      expiresDate: moment(), signedDate: moment() ?? .distantPast, isUpgraded: random.oneIn(2), revocationDate: moment(),
      revocationReason: random.oneIn(3) ? nil : word(["0", "1", "upgradedToBundle", "2", ""]),
      revocationType: random.oneIn(3) ? nil : word(["REFUND_FULL", "FAMILY_REVOKE", "GIFT", ""]),
      revocationPercentage: [nil, 0, 50_000, -1].randomElement(using: &random) ?? nil,
      priceMilliunits: [nil, 0, 9_990, .min].randomElement(using: &random) ?? nil,
      currency: [nil, "", "EUR"].randomElement(using: &random) ?? nil, appTransactionID: random.oneIn(3) ? nil : id(),
      appAccountToken: [nil, "", "token"].randomElement(using: &random) ?? nil)
  }
}
