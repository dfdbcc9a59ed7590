/// Redis, as far as it can do the same work: a flag for each customer and entitlement under the key `CUSTOMER:ENTITLEMENT`, which is `1`
/// where the customer may and `0` where not, and for each purchase that is recorded a hash of the same fields under its transaction's
/// id. Its answers come in the order of the calls.
package struct RedisDialect: Dialect {
  package static let name = "Redis"
  package static let kinds: Set<CallKind> = [.check, .batch, .record]

  package init() {}

  /// The fields of the purchase that a load records, as `LatchkeyDialect` does.
  private static let purchase = [
    "customer", PreparedRequest.Placeholder.customer, "product", "bench.coins", "type", "CONSUMABLE", "purchased",
    "\(LatchkeyDialect.purchaseDate)", "signed", "\(LatchkeyDialect.purchaseDate)", "price", "990", "currency", "USD",
  ]
  private static let keyPlaceholder = PreparedRequest.Placeholder.customer + ":" + PreparedRequest.Placeholder.product

  package func prepared(_ kind: CallKind, batch: Int) -> PreparedRequest {
    switch kind {
    case .check: prepared(["GET", RedisDialect.keyPlaceholder])
    case .batch: prepared(["MGET"] + Array(repeating: RedisDialect.keyPlaceholder, count: batch))
    case .record: prepared(["HSET", PreparedRequest.Placeholder.transaction] + RedisDialect.purchase)
    case .list, .history, .explain: preconditionFailure("Redis has no such call")
    }
  }

  package func filling(_ household: Population.Household, of population: Population, at now: Int64) -> [PreparedRequest] {
    household.people.map { customer in
      let key = population.id(of: customer).text + ":" + household.product.rawValue
      return prepared(["SET", key, household.isRefunded ? "0" : "1"])
    }
  }

  private func prepared(_ words: [String]) -> PreparedRequest {
    let text = "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
    return PreparedRequest(Array(text.utf8), idOffset: nil)
  }

  // MARK: Answers

  package func answer(in bytes: RawSpan, at offset: Int) throws(BrokenConversation) -> Answer? {
    guard let (reply, headEnd) = try RedisReply.read(bytes, at: offset) else { return nil }
    var answer = Answer(call: nil, body: offset..<headEnd, end: headEnd)
    if case .failure(let line) = reply { (answer.isFailure, answer.body) = (true, line) }
    guard case .array(let count) = reply else { return answer }
    for _ in 0..<count {
      guard let (element, end) = try RedisReply.read(bytes, at: answer.end) else { return nil }
      if case .array = element { throw BrokenConversation("Redis sent an array in an array") }
      answer.end = end
    }
    answer.body = offset..<answer.end
    return answer
  }

  /// The word that Redis begins an error with, such as `ERR` or `OOM`.
  package func failure(of answer: Answer, in bytes: RawSpan) throws(BrokenConversation) -> String {
    let letters = answer.body.prefix(32).map { bytes.byte(at: $0) }.prefix { $0 != UInt8(ascii: " ") }
    return String(decoding: letters, as: UTF8.self)
  }

  package func count(
    _ answer: Answer, to kind: CallKind, in bytes: RawSpan, into verdicts: inout Verdicts
  ) throws(BrokenConversation) {
    guard kind == .check || kind == .batch else { return }
    var offset = answer.body.lowerBound
    while offset < answer.body.upperBound, let (reply, end) = try RedisReply.read(bytes, at: offset) {
      offset = end
      switch reply {
      case .array: continue
      case .absent: verdicts.unknown += 1
      case .bulk(let value) where value.count == 1 && bytes.byte(at: value.lowerBound) == UInt8(ascii: "1"): verdicts.allowed += 1
      case .bulk, .integer, .simple, .failure: verdicts.denied += 1
      }
    }
  }
}
