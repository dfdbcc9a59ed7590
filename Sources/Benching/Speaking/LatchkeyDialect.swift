import LatchkeyWire
import Protobuf

/// Latchkey's own protocol: `schema/PROTOCOL.md`.
package struct LatchkeyDialect: Dialect {
  package static let name = "Latchkey"
  package static let kinds = Set(CallKind.allCases)

  /// When a purchase that a load records was made and signed, milliseconds since 1970: 1 January 2026.
  static let purchaseDate: Int64 = 1_767_225_600_000

  package init() {}

  package func prepared(_ kind: CallKind, batch: Int) -> PreparedRequest {
    typealias Placeholder = PreparedRequest.Placeholder
    let customer = Placeholder.customer
    let check = CheckAccessRequest(customerID: customer, entitlement: Placeholder.product)
    return switch kind {
    case .check: prepared(.checkAccess, check)
    case .batch: prepared(.checkAccessBatch, CheckAccessBatchRequest.with { $0.checks = Array(repeating: check, count: batch) })
    case .record: prepared(.recordTransaction, purchase)
    case .list: prepared(.listEntitlements, ListEntitlementsRequest.with { $0.customerID = customer })
    case .history: prepared(.getHistory, GetHistoryRequest.with { $0.customerID = customer })
    case .explain: prepared(.explainAccess, ExplainAccessRequest.with { $0.customerID = customer })
    }
  }

  /// A consumable, of which a customer can buy any number.
  private var purchase: RecordTransactionRequest {
    .with {
      $0.customerID = PreparedRequest.Placeholder.customer
      $0.transaction = .with {
        $0.transactionID = PreparedRequest.Placeholder.transaction
        $0.productID = "bench.coins"
        $0.type = .consumable
        $0.purchaseDateMilliseconds = LatchkeyDialect.purchaseDate
        $0.signedDateMilliseconds = LatchkeyDialect.purchaseDate
        ($0.priceMilliunits, $0.currency) = (990, "USD")
      }
    }
  }

  package func filling(_ household: Population.Household, of population: Population, at now: Int64) -> [PreparedRequest] {
    population.recordings(of: household, at: now).map { prepared(.recordTransaction, $0) }
  }

  private func prepared(_ method: Method, _ message: some Message) -> PreparedRequest {
    var bytes: [UInt8] = []
    do {
      try Frame.append(Request(method, message), streamID: 1, to: &bytes)
    } catch { preconditionFailure("a request of a load has more than 4 MiB: \(error)") }
    return PreparedRequest(bytes, idOffset: 4)
  }

  // MARK: Answers

  package func answer(in bytes: RawSpan, at offset: Int) throws(BrokenConversation) -> Answer? {
    switch FrameHeader.parse(bytes, at: offset) {
    case .needMore: return nil
    case .malformed(let violation): throw BrokenConversation("the server broke the protocol: \(violation)")
    case .complete(let header):
      guard header.type == .response else {
        throw BrokenConversation("the server sent a frame of type \(header.type) where only responses can come")
      }
      let data = offset + FrameHeader.byteCount..<offset + header.frameLength
      return try reading { () throws(MalformedMessage) in try envelope(header.streamID, data, in: bytes) }
    }
  }

  /// Reads a `ttrpc.Response`: a status in field 1, or the method's answer in field 2.
  private func envelope(_ stream: UInt32, _ data: Range<Int>, in bytes: RawSpan) throws(MalformedMessage) -> Answer {
    var answer = Answer(call: stream, body: data.upperBound..<data.upperBound, end: data.upperBound)
    let envelope = bytes.extracting(data)
    var cursor = ByteCursor()
    while let tag = try cursor.readTag(in: envelope) {
      switch tag {
      case FieldTag(1, .lengthDelimited):
        let status = try cursor.readLengthDelimited(in: envelope)
        guard try Status(decoding: envelope.extracting(status)).code != .ok else { continue }
        (answer.isFailure, answer.body) = (true, status.moved(by: data.lowerBound))
      case FieldTag(2, .lengthDelimited):
        let body = try cursor.readLengthDelimited(in: envelope)
        if !answer.isFailure { answer.body = body.moved(by: data.lowerBound) }
      default: try cursor.skip(tag, in: envelope)
      }
    }
    return answer
  }

  package func failure(of answer: Answer, in bytes: RawSpan) throws(BrokenConversation) -> String {
    try reading { () throws(MalformedMessage) in try Status(decoding: bytes.extracting(answer.body)).code.description }
  }

  package func count(
    _ answer: Answer, to kind: CallKind, in bytes: RawSpan, into verdicts: inout Verdicts
  ) throws(BrokenConversation) {
    let body = bytes.extracting(answer.body)
    try reading { () throws(MalformedMessage) in
      switch kind {
      case .check: try count(check: body, in: &verdicts)
      case .batch:
        var cursor = ByteCursor()
        while let tag = try cursor.readTag(in: body) {
          guard tag == FieldTag(1, .lengthDelimited) else {
            try cursor.skip(tag, in: body)
            continue
          }
          try count(check: body.extracting(cursor.readLengthDelimited(in: body)), in: &verdicts)
        }
      case .record, .list, .history, .explain: break
      }
    }
  }

  /// Reads of a `CheckAccessResponse` whether it allows, why, and how it failed in a batch.
  private func count(check: RawSpan, in verdicts: inout Verdicts) throws(MalformedMessage) {
    var (isAllowed, reason, status) = (false, UInt64(0), UInt64(0))
    var cursor = ByteCursor()
    while let tag = try cursor.readTag(in: check) {
      switch tag {
      case FieldTag(1, .varint): isAllowed = try cursor.readVarint(in: check) != 0
      case FieldTag(2, .varint): reason = try cursor.readVarint(in: check)
      case FieldTag(6, .varint): status = try cursor.readVarint(in: check)
      default: try cursor.skip(tag, in: check)
      }
    }
    if status != 0 {
      verdicts.failures[StatusCode(rawValue: Int32(truncatingIfNeeded: status)).description, default: 0] += 1
    } else if isAllowed {
      verdicts.allowed += 1
    } else if reason == UInt64(Reason.unknownCustomer.rawValue) {
      verdicts.unknown += 1
    } else {
      verdicts.denied += 1
    }
  }

  private func reading<Result>(_ body: () throws(MalformedMessage) -> Result) throws(BrokenConversation) -> Result {
    do { return try body() } catch { throw BrokenConversation("the server sent an answer that can't be read: \(error)") }
  }
}

extension Range<Int> {
  /// The range in a span of which the one that it was found in begins at an offset.
  fileprivate func moved(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}
