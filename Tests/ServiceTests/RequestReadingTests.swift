import Entitlements
import LatchkeyWire
import Protobuf
import TestSupport
import Testing

@testable import Service

/// Requests that are read in place say what their messages say.
@Suite struct RequestReadingTests {
  private let now = Moment(milliseconds: 1_767_225_600_000)

  private func inPlace(_ bytes: [UInt8]) -> ReceivedRecording? {
    ReceivedRecording(inPlace: unsafe bytes.span.bytes, now: now)
  }

  private func byMessage(_ bytes: [UInt8]) throws -> ReceivedRecording {
    try ReceivedRecording(RecordTransactionRequest(decoding: bytes), now: now)
  }

  @Test("Whatever is read in place is what the message says", arguments: 1...4 as ClosedRange<UInt64>)
  func same(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var count = 0
    for _ in 0..<2_000 {
      let bytes = RecordTransactionRequest(anyOf: &random).encoded()
      guard let read = inPlace(bytes) else { continue }
      count += 1
      #expect(try read == byMessage(bytes))
    }
    #expect(count > 200)
  }

  @Test("Bytes that were changed are read as their message, or not in place", arguments: 1...4 as ClosedRange<UInt64>)
  func changed(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<5_000 {
      var bytes = RecordTransactionRequest(anyOf: &random).encoded()
      guard !bytes.isEmpty else { continue }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let read = inPlace(bytes) else { continue }
      #expect(try read == byMessage(bytes))
    }
  }

  @Test("A purchase as most requests hand it over is read in place")
  func ordinary() throws {
    let request = RecordTransactionRequest.with {
      ($0.customerID, $0.transaction) = ("alice", .subscription("1"))
    }
    #expect(inPlace(request.encoded()) != nil)
  }

  /// What is done to such a purchase, so that it has to be looked at more closely.
  static let others: [@Sendable (inout RecordTransactionRequest) -> Void] = [
    { $0.customerID = text(129) },
    { $0.transaction = nil },
    { $0.transaction?.rawType = "Rental" },
    { $0.notification = .with { $0.type = "REVOKE" } },
    { $0.renewalInfo = .with { $0.signedDateMilliseconds = 1 } },
    { $0.sharedFrom = (0...16).map { "\($0)" } },
    { $0.source = .init(rawValue: 99) },
    { $0.receivedAtMilliseconds = -1 },
    { $0.evaluateChangesAtMilliseconds = 253_402_300_800_000 },
    { $0.appleJSON = "{}" },
  ]

  @Test("What may have to be refused, and what isn't a transaction in fields, is left to the message", arguments: others.indices)
  func left(index: Int) {
    var request = RecordTransactionRequest.with { ($0.customerID, $0.transaction) = ("alice", .subscription("1")) }
    RequestReadingTests.others[index](&request)
    #expect(inPlace(request.encoded()) == nil)
  }
}

extension RecordTransactionRequest {
  /// Mostly a transaction in fields, with anything beside it now and then.
  fileprivate init(anyOf random: inout SeededRandom) {
    self.init()
    if random.oneIn(2) { customerID = random.any(["alice", "", "0f0e0d0c-0b0a-4908-8706-050403020100", "17", "ü"]) }
    if !random.oneIn(8) { transaction = LatchkeyWire.Transaction(anyOf: &random) }
    if random.oneIn(8) { notification = .with { $0.type = "REVOKE" } }
    if random.oneIn(8) { renewalInfo = .with { $0.originalTransactionID = "1" } }
    while random.oneIn(3) { sharedFrom.append(random.any(["1", "", "purchase"])) }
    if random.oneIn(3) { source = Source(rawValue: Int32.random(in: 0...6, using: &random)) }
    if random.oneIn(3) { receivedAtMilliseconds = random.any([1, 1_767_225_600_000, -1]) }
    if random.oneIn(3) { evaluateChangesAtMilliseconds = random.any([1, 1_767_225_600_000, .max]) }
  }
}

extension LatchkeyWire.Transaction {
  fileprivate init(anyOf random: inout SeededRandom) {
    self = random.oneIn(2) ? .subscription("1") : .lasting("18446744073709551616", product: "forever")
    if random.oneIn(3) { originalTransactionID = random.any(["1", "2", ""]) }
    if random.oneIn(3) {
      (type, environment) = (.init(rawValue: random.any([0, 1, 4, 9])), .init(rawValue: random.any([0, 1, 2, 77])))
    }
    if random.oneIn(3) { ownership = .init(rawValue: random.any([0, 1, 2, 5])) }
    if random.oneIn(3) {
      (revocationDateMilliseconds, revocationReason) = (random.any([0, 5, nil]), .init(rawValue: random.any([0, 1, 8])))
    }
    if random.oneIn(4) {
      (revocationType, revocationPercentage) = (.init(rawValue: random.any([0, 1, 6])), random.any([0, 50_000, -1]))
    }
    if random.oneIn(2) { (priceMilliunits, currency) = (random.any([0, 990, -1]), random.any(["", "EUR"])) }
    if random.oneIn(3) { appTransactionID = random.any(["7", "704000000000000001"]) }
    if random.oneIn(3) { appAccountToken = random.any(["alice", "0F0E0D0C-0B0A-4908-8706-050403020100"]) }
    if random.oneIn(3) { bundleID = "com.example" }
    if random.oneIn(4) { isUpgraded = true }
    if random.oneIn(8) { rawType = random.any(["Rental", ""]) }
    if random.oneIn(8) { (purchaseDateMilliseconds, signedDateMilliseconds) = (0, -5) }
  }
}

extension SeededRandom {
  fileprivate mutating func any<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &self)] }
}
