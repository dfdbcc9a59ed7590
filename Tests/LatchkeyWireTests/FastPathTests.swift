import LatchkeyWire
import Protobuf
import TestSupport
import Testing

@Suite struct `The fast path of checks` {
  @Test func `reads envelopes as the general decoder does`() throws {
    var random = SeededRandom(seed: 8)
    var filler = RandomFiller(random: SeededRandom(seed: 9))
    for round in 0..<4_000 {
      var request = filler.fill(Request.self)
      if round % 2 == 0 { request.metadata.append(KeyValue(key: "authorization", value: "Bearer \(round)")) }
      let bytes = damaged(request.encoded(), by: &random)
      let fast = unsafe try? RequestEnvelope(parsing: bytes.span.bytes)
      let general = try? Request(decoding: bytes)
      #expect(fast.map { text(bytes, $0.service) } == general?.service)
      #expect(fast.map { text(bytes, $0.method) } == general?.method)
      #expect(fast.map { Array(bytes[$0.payload]) } == general?.payload)
      #expect(fast?.timeoutNanoseconds == general?.timeoutNanoseconds)
      #expect(fast?.methodNumber == general?.methodNumber)
      let authorization = general?.metadata.first { $0.key == "authorization" }?.value
      #expect(fast?.authorization.map { text(bytes, $0) } == authorization)
    }
  }

  @Test func `reads checks as the general decoder does`() {
    var random = SeededRandom(seed: 10)
    var filler = RandomFiller(random: SeededRandom(seed: 11))
    for _ in 0..<8_000 {
      let bytes = damaged(filler.fill(CheckAccessRequest.self).encoded(), by: &random)
      let query = unsafe try? CheckAccessQuery(parsing: bytes.span.bytes)
      #expect(query.map { request($0, bytes) } == (try? CheckAccessRequest(decoding: bytes)))
    }
  }

  @Test func `reads batches as the general decoder does`() {
    var random = SeededRandom(seed: 12)
    var filler = RandomFiller(random: SeededRandom(seed: 13))
    for _ in 0..<4_000 {
      let bytes = damaged(filler.fill(CheckAccessBatchRequest.self).encoded(), by: &random)
      #expect((try? batch(bytes)) == (try? CheckAccessBatchRequest(decoding: bytes))?.checks)
    }
  }

  @Test(arguments: 98...102)
  func `skips unknown groups exactly as deep as the general decoder`(_ depth: Int) {
    let groups = [UInt8](repeating: 0x7B, count: depth) + [UInt8](repeating: 0x7C, count: depth)
    let isQuery = (unsafe try? CheckAccessQuery(parsing: groups.span.bytes)) != nil
    #expect(isQuery == ((try? CheckAccessRequest(decoding: groups)) != nil))
    let isEnvelope = (unsafe try? RequestEnvelope(parsing: groups.span.bytes)) != nil
    #expect(isEnvelope == ((try? Request(decoding: groups)) != nil))
    // The length of the one check, or metadata pair, around the groups takes two bytes.
    let length = [UInt8(2 * depth % 128) | 0x80, 1]
    let isBatch = (try? batch([0x0A] + length + groups)) != nil
    #expect(isBatch == ((try? CheckAccessBatchRequest(decoding: [0x0A] + length + groups)) != nil))
    let metadata = [0x2A] + length + groups
    let isMetadata = (unsafe try? RequestEnvelope(parsing: metadata.span.bytes)) != nil
    #expect(isMetadata == ((try? Request(decoding: metadata)) != nil))
  }

  @Test func `writes answers as the general encoder does`() throws {
    var filler = RandomFiller(random: SeededRandom(seed: 14))
    for streamID in stride(from: UInt32(1), to: 4_001, by: 2) {
      let response = filler.fill(CheckAccessResponse.self)
      let (written, isWritten) = write(capacity: 64) { answer(response).writeFrame(streamID: streamID, to: &$0) }
      var expected: [UInt8] = []
      try Frame.append(Response(plain(response)), streamID: streamID, to: &expected)
      #expect(isWritten && written == expected)
    }
  }

  @Test func `writes batches as the general encoder does`() throws {
    var filler = RandomFiller(random: SeededRandom(seed: 15))
    for count in [0, 1, 2, 3, 10, 100, 1_000] {
      let responses = (0..<count).map { _ in plain(filler.fill(CheckAccessResponse.self)) }
      var expected: [UInt8] = []
      let response = CheckAccessBatchResponse.with { $0.results = responses }
      try Frame.append(Response(response), streamID: 7, to: &expected)
      let elements = responses.flatMap { response in
        write(capacity: CheckAccessAnswer.maximumElementBytes) { answer(response).writeElement(to: &$0) }.0
      }
      let head = write(capacity: CheckAccessBatchFrame.maximumHeadBytes) {
        CheckAccessBatchFrame.writeHead(streamID: 7, elementBytes: elements.count, to: &$0)
      }
      #expect(head.1 && head.0 + elements == expected)
    }
  }

  @Test func `writes the longest answer into the room it names, and nothing into less`() {
    let longest = CheckAccessAnswer(
      allowed: true, reason: Reason(rawValue: -1), validUntilMilliseconds: -1, ownership: Ownership(rawValue: -1),
      revision: .max)
    let shortest = CheckAccessAnswer(allowed: false, reason: Reason(), revision: 0)
    for answer in [longest, shortest] {
      #expect(write(capacity: CheckAccessAnswer.maximumFrameBytes) { answer.writeFrame(streamID: 1, to: &$0) }.1)
      let frame = write(capacity: CheckAccessAnswer.maximumFrameBytes - 1) { answer.writeFrame(streamID: 1, to: &$0) }
      #expect(!frame.1 && frame.0.isEmpty)
      #expect(write(capacity: CheckAccessAnswer.maximumElementBytes) { answer.writeElement(to: &$0) }.1)
      let element = write(capacity: CheckAccessAnswer.maximumElementBytes - 1) { answer.writeElement(to: &$0) }
      #expect(!element.1 && element.0.isEmpty)
      let head = write(capacity: CheckAccessBatchFrame.maximumHeadBytes - 1) {
        CheckAccessBatchFrame.writeHead(streamID: 1, elementBytes: Limits.frameBytes, to: &$0)
      }
      #expect(!head.1 && head.0.isEmpty)
    }
    #expect(write(capacity: 64) { shortest.writeFrame(streamID: 1, to: &$0) }.0.count == 10)
  }

  // MARK: - Between the two paths

  private func text(_ bytes: [UInt8], _ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func request(_ query: CheckAccessQuery, _ bytes: [UInt8]) -> CheckAccessRequest {
    CheckAccessRequest(
      customerID: text(bytes, query.customerID), entitlement: text(bytes, query.entitlement),
      atTimeMilliseconds: query.atTimeMilliseconds, minRevision: query.minRevision)
  }

  private func batch(_ bytes: [UInt8]) throws -> [CheckAccessRequest] {
    var (cursor, checks) = (CheckAccessBatchCursor(), [CheckAccessRequest]())
    while let query = unsafe try cursor.next(in: bytes.span.bytes) { checks.append(request(query, bytes)) }
    return checks
  }

  /// The same answer without the fields that only failed checks of a batch have.
  private func plain(_ response: CheckAccessResponse) -> CheckAccessResponse {
    var copy = response
    (copy.statusCode, copy.statusMessage) = (.ok, "")
    return copy
  }

  private func answer(_ response: CheckAccessResponse) -> CheckAccessAnswer {
    CheckAccessAnswer(
      allowed: response.allowed, reason: response.reason, validUntilMilliseconds: response.validUntilMilliseconds,
      ownership: response.ownership, revision: response.revision)
  }

  private func write(capacity: Int, _ body: (inout OutputRawSpan) -> Bool) -> ([UInt8], Bool) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
    defer { unsafe buffer.deallocate() }
    var output = unsafe OutputRawSpan(buffer: buffer, initializedCount: 0)
    let isWritten = body(&output)
    let count = output.byteCount
    return (unsafe Array(buffer[..<count]), isWritten)
  }
}
