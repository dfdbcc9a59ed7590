import LatchkeyWire
import Protobuf
import TestSupport
import Testing

@testable import Benching

/// Requests as bytes, and bytes as answers, in both languages.
struct DialectTests {
  private static let latchkey = LatchkeyDialect()
  private static let redis = RedisDialect()
  private static let (ana, bob) = (CustomerID(high: 1, low: 2), CustomerID(high: 3, low: 4))
  private static let transaction = TransactionID(.max)

  private static func answer(_ dialect: some Dialect, _ bytes: [UInt8]) throws -> Answer? {
    try unsafe dialect.answer(in: bytes.span.bytes, at: 0)
  }

  private static func verdicts(_ dialect: some Dialect, _ bytes: [UInt8], to kind: CallKind) throws -> Verdicts {
    let answer = try #require(try answer(dialect, bytes))
    #expect(answer.end == bytes.count)
    var verdicts = Verdicts()
    try unsafe dialect.count(answer, to: kind, in: bytes.span.bytes, into: &verdicts)
    return verdicts
  }

  /// The name of the status that an answer fails with; nil where it doesn't.
  private static func failure(_ dialect: some Dialect, _ bytes: [UInt8]) throws -> String? {
    let answer = try #require(try answer(dialect, bytes))
    return answer.isFailure ? try unsafe dialect.failure(of: answer, in: bytes.span.bytes) : nil
  }

  // MARK: Latchkey

  private func request(_ bytes: [UInt8], stream: UInt32, _ method: Method) throws -> [UInt8] {
    let frame = unsafe FrameHeader.parse(bytes.span.bytes)
    #expect(frame == .complete(FrameHeader(dataLength: bytes.count - 10, streamID: stream, type: .request)))
    let request = try Request(decoding: Array(bytes[10...]))
    #expect(request.methodNumber == method.number)
    return request.payload
  }

  @Test("a filled check asks what was filled in, again and again") func check() throws {
    var prepared = Self.latchkey.prepared(.check, batch: 1)
    for (id, customer, product) in [(7, Self.ana, .monthly), (4_294_967_295, Self.bob, .onetime)]
      as [(UInt32, CustomerID, Population.Product)]
    {
      prepared.write(id: id)
      prepared.write(customer, product, at: 0)
      let check = try CheckAccessRequest(decoding: request(prepared.bytes, stream: id, .checkAccess))
      #expect(check == CheckAccessRequest(customerID: customer.text, entitlement: product.rawValue))
    }
  }

  @Test("a filled batch asks about each customer", arguments: [1, 2, 1_000]) func batch(count: Int) throws {
    var prepared = Self.latchkey.prepared(.batch, batch: count)
    #expect(prepared.customerCount == count)
    for place in 0..<count { prepared.write(CustomerID(high: UInt64(place), low: 0), .monthly, at: place) }
    let batch = try CheckAccessBatchRequest(decoding: request(prepared.bytes, stream: 1, .checkAccessBatch))
    #expect(batch.checks.map(\.customerID) == (0..<count).map { CustomerID(high: UInt64($0), low: 0).text })
  }

  @Test("a filled recording is a purchase under the transaction's id") func record() throws {
    var prepared = Self.latchkey.prepared(.record, batch: 1)
    prepared.write(Self.ana, .monthly, at: 0)
    prepared.write(transaction: Self.transaction)
    let recording = try RecordTransactionRequest(decoding: request(prepared.bytes, stream: 1, .recordTransaction))
    #expect(recording.customerID == Self.ana.text && recording.transaction?.transactionID == Self.transaction.text)
    #expect(recording.transaction?.type == .consumable)
  }

  @Test("other calls name the customer", arguments: [CallKind.list, .history, .explain]) func others(kind: CallKind) throws {
    var prepared = Self.latchkey.prepared(kind, batch: 1)
    prepared.write(Self.ana, .monthly, at: 0)
    let (method, customer) =
      switch kind {
      case .list: (Method.listEntitlements, try ListEntitlementsRequest(decoding: Self.payload(prepared)).customerID)
      case .history: (.getHistory, try GetHistoryRequest(decoding: Self.payload(prepared)).customerID)
      default: (.explainAccess, try ExplainAccessRequest(decoding: Self.payload(prepared)).customerID)
      }
    _ = try request(prepared.bytes, stream: 1, method)
    #expect(customer == Self.ana.text)
  }

  private static func payload(_ prepared: PreparedRequest) throws -> [UInt8] {
    try Request(decoding: Array(prepared.bytes[10...])).payload
  }

  private static func response(_ message: some Message, stream: UInt32 = 5) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try Frame.append(Response(message), streamID: stream, to: &bytes)
    return bytes
  }

  private static func answerToCheck(_ allowed: Bool, _ reason: Reason, _ status: StatusCode = .ok) -> CheckAccessResponse {
    .with { ($0.allowed, $0.reason, $0.statusCode, $0.revision) = (allowed, reason, status, 12_345) }
  }

  @Test("answers to checks are counted by what they say") func answersToChecks() throws {
    let answers: [(CheckAccessResponse, Verdicts)] = [
      (Self.answerToCheck(true, .purchased), .of(allowed: 1)), (Self.answerToCheck(false, .refunded), .of(denied: 1)),
      (Self.answerToCheck(false, .unknownCustomer), .of(unknown: 1)),
    ]
    for (answer, verdicts) in answers {
      #expect(try Self.verdicts(Self.latchkey, Self.response(answer), to: .check) == verdicts)
    }
    let batch = CheckAccessBatchResponse.with {
      $0.results =
        answers.map(\.0) + [Self.answerToCheck(true, .familyShared), Self.answerToCheck(false, .unspecified, .internal)]
    }
    let expected = Verdicts.of(allowed: 2, denied: 1, unknown: 1, failures: ["INTERNAL": 1])
    #expect(try Self.verdicts(Self.latchkey, Self.response(batch), to: .batch) == expected)
  }

  @Test("an answer names its call, and a failure its status") func envelope() throws {
    #expect(try Self.answer(Self.latchkey, Self.response(CheckAccessResponse(), stream: 9))?.call == 9)
    var bytes: [UInt8] = []
    try Frame.append(Response(Status(.resourceExhausted, "later")), streamID: 3, to: &bytes)
    let answer = try #require(try Self.answer(Self.latchkey, bytes))
    #expect(answer.call == 3 && answer.end == bytes.count)
    #expect(try Self.failure(Self.latchkey, bytes) == "RESOURCE_EXHAUSTED")
    #expect(try Self.failure(Self.latchkey, Self.response(CheckAccessResponse())) == nil)
  }

  @Test("frames that no answer consists of are refused") func strangeFrames() throws {
    var end: [UInt8] = []
    Frame.appendEnd(ofStream: 1, to: &end)
    for bytes in [end, [0, 0, 0, 0, 0, 0, 0, 1, 99, 0], [255, 0, 0, 0, 0, 0, 0, 1, 2, 0], [0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 255]] {
      #expect(throws: BrokenConversation.self) { try Self.answer(Self.latchkey, bytes) }
    }
  }

  // MARK: Redis

  @Test("calls to Redis are arrays of bulks under the customer's key") func redisRequests() {
    let key = "\(Self.ana.text):bench.onetime"
    let expected: [(CallKind, String)] = [
      (.check, "*2\r\n$3\r\nGET\r\n$50\r\n\(key)\r\n"),
      (.batch, "*3\r\n$4\r\nMGET\r\n$50\r\n\(key)\r\n$50\r\n\(key)\r\n"),
    ]
    for (kind, text) in expected {
      var prepared = Self.redis.prepared(kind, batch: 2)
      for place in 0..<prepared.customerCount { prepared.write(Self.ana, .onetime, at: place) }
      #expect(String(decoding: prepared.bytes, as: UTF8.self) == text)
    }
  }

  @Test("a purchase is a hash of Redis under the transaction's id, with what Latchkey is told of it") func redisRecording() {
    var prepared = Self.redis.prepared(.record, batch: 1)
    prepared.write(Self.ana, .onetime, at: 0)
    prepared.write(transaction: Self.transaction)
    let words = String(decoding: prepared.bytes, as: UTF8.self).split(separator: "\r\n").filter { !"*$".contains($0.prefix(1)) }
    #expect(
      words == [
        "HSET", Self.transaction.text[...], "customer", Self.ana.text[...], "product", "bench.coins", "type", "CONSUMABLE",
        "purchased", "1767225600000", "signed", "1767225600000", "price", "990", "currency", "USD",
      ])
  }

  @Test("Redis is filled with a flag for each customer, under the key that is asked for") func redisFilling() {
    let population = Population(customerCount: 500, seed: 3)
    for customer in 0..<500 {
      let household = population.household(of: customer)
      let fillings = Self.redis.filling(household, of: population, at: 0).map { String(decoding: $0.bytes, as: UTF8.self) }
      let key = "\(population.id(of: customer).text):\(household.product.rawValue)"
      let flag = household.isRefunded ? "0" : "1"
      #expect(fillings[customer - household.people.lowerBound] == "*3\r\n$3\r\nSET\r\n$50\r\n\(key)\r\n$1\r\n\(flag)\r\n")
    }
  }

  @Test(
    "replies of Redis are counted by what they say",
    arguments: [
      ("$1\r\n1\r\n", CallKind.check, .of(allowed: 1)), ("$1\r\n0\r\n", .check, .of(denied: 1)),
      ("$-1\r\n", .check, .of(unknown: 1)), ("$0\r\n\r\n", .check, .of(denied: 1)), ("$2\r\n11\r\n", .check, .of(denied: 1)),
      ("*3\r\n$1\r\n1\r\n$-1\r\n$1\r\n0\r\n", .batch, .of(allowed: 1, denied: 1, unknown: 1)), ("*0\r\n", .batch, .of()),
      ("+OK\r\n", .record, .of()),
    ] as [(String, CallKind, Verdicts)])
  func redisReplies(text: String, kind: CallKind, verdicts: Verdicts) throws {
    #expect(try Self.verdicts(Self.redis, Array(text.utf8), to: kind) == verdicts)
  }

  @Test("an error of Redis counts under its first word") func redisErrors() throws {
    #expect(try Self.failure(Self.redis, Array("-OOM command not allowed\r\n".utf8)) == "OOM")
    #expect(try Self.failure(Self.redis, Array("-\r\n".utf8)) == "")
    #expect(try Self.failure(Self.redis, Array("+OK\r\n".utf8)) == nil)
  }

  @Test(
    "a reply that isn't whole waits for the rest, at every byte",
    arguments: [
      "+OK\r\n", "-ERR x\r\n", ":-12\r\n", "$3\r\na\r\n\r\n", "$-1\r\n", "*2\r\n$1\r\n1\r\n$-1\r\n", "*-1\r\n", "*0\r\n",
    ])
  func splits(text: String) throws {
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count { #expect(try Self.answer(Self.redis, Array(bytes[..<count])) == nil) }
    #expect(try Self.answer(Self.redis, bytes + Array("+more".utf8))?.end == bytes.count)
  }

  @Test(
    "what is no reply, or has more than a load asks for, is refused",
    arguments: [
      "?\r\n", "$x\r\n", "$\r\n", "$1x\r\n", "$1\r\n1xx", "*1\r\n*1\r\n+a\r\n", "*1001\r\n", "$1048577\r\n", ":\r\n", ":--1\r\n",
      ":1234567890123456789\r\n",
    ])
  func malformed(text: String) {
    #expect(throws: BrokenConversation.self) { try Self.answer(Self.redis, Array(text.utf8)) }
  }

  @Test("the longest line, bulk and array are taken") func limits() throws {
    let (line, bulk) = (
      String(repeating: "a", count: RedisReply.lineLimit - 1), String(repeating: "b", count: RedisReply.bulkLimit)
    )
    let array = String(repeating: ":1\r\n", count: RedisReply.arrayLimit)
    for text in ["+\(line)\r\n", "$\(bulk.count)\r\n\(bulk)\r\n", "*\(RedisReply.arrayLimit)\r\n\(array)"] {
      #expect(try Self.answer(Self.redis, Array(text.utf8))?.end == text.utf8.count)
    }
    #expect(throws: BrokenConversation.self) { try Self.answer(Self.redis, Array("+\(line)a\r\n".utf8)) }
  }

  // MARK: Any bytes

  @Test("any bytes are an answer, a wait or an error", arguments: UInt64(1)...20) func anyBytes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let alphabet = Array("+-:$*0123456789\r\n\r\nab".utf8) + [0, 2, 8, 10, 255]
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      let framed = [0, 0, 0, UInt8(bytes.count), 0, 0, 0, 1, 2, 0] + bytes
      for kind in CallKind.allCases {
        check(Self.redis, bytes, kind)
        check(Self.latchkey, framed, kind)
      }
    }
  }

  private func check(_ dialect: some Dialect, _ bytes: [UInt8], _ kind: CallKind) {
    guard let answer = try? unsafe dialect.answer(in: bytes.span.bytes, at: 0) else { return }
    #expect(answer.end > 0 && answer.end <= bytes.count)
    #expect(answer.body.lowerBound >= 0 && answer.body.upperBound <= answer.end)
    var verdicts = Verdicts()
    try? unsafe dialect.count(answer, to: kind, in: bytes.span.bytes, into: &verdicts)
    _ = try? unsafe dialect.failure(of: answer, in: bytes.span.bytes)
  }
}

extension Verdicts {
  static func of(allowed: Int = 0, denied: Int = 0, unknown: Int = 0, failures: [String: Int] = [:]) -> Verdicts {
    var verdicts = Verdicts()
    (verdicts.allowed, verdicts.denied, verdicts.unknown, verdicts.failures) = (allowed, denied, unknown, failures)
    return verdicts
  }
}
