import LatchkeyWire
import Protobuf
import TestSupport
import Testing

/// A message that holds itself, to reach any depth.
private struct Nest: Message {
  var inner: [Nest] = []

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.messages(1, "inner", &inner)
  }
}

@Suite struct `The decoder of messages` {
  @Test(arguments: Schema.messageNames)
  func `gives back what was encoded`(_ name: String) throws {
    var filler = RandomFiller(random: SeededRandom(seed: 1))
    func check<Value: Message>(_ type: Value.Type) throws {
      for _ in 0..<100 {
        let message = filler.fill(Value.self)
        #expect(try Value(decoding: message.encoded()) == message)
      }
    }
    try check(Schema.type(name))
  }

  @Test(arguments: Schema.messageNames)
  func `takes or refuses every truncation without a trap`(_ name: String) throws {
    var filler = RandomFiller(random: SeededRandom(seed: 2))
    func check<Value: Message>(_ type: Value.Type) {
      let bytes = filler.fill(Value.self).encoded()
      for length in 0..<bytes.count {
        guard let message = try? Value(decoding: Array(bytes[..<length])) else { continue }
        #expect(message.encoded().count <= length)
      }
    }
    check(try Schema.type(name))
  }

  @Test(arguments: Schema.messageNames)
  func `takes or refuses noise without a trap, and what it takes survives a round trip`(_ name: String) throws {
    var random = SeededRandom(seed: 3)
    func check<Value: Message>(_ type: Value.Type) throws {
      var filler = RandomFiller(random: random)
      for _ in 0..<500 {
        let bytes = damaged(filler.fill(Value.self).encoded(), by: &random)
        guard let message = try? Value(decoding: bytes) else { continue }
        #expect(try Value(decoding: message.encoded()) == message)
      }
    }
    try check(Schema.type(name))
  }

  @Test(arguments: [(99, true), (100, true), (101, false)])
  func `follows messages 100 deep and no deeper`(_ depth: Int, _ isTaken: Bool) {
    var message = Nest()
    for _ in 0..<depth { message = .with { $0.inner = [message] } }
    let bytes = message.encoded()
    #expect((try? Nest(decoding: bytes)) == (isTaken ? message : nil))
    if !isTaken { #expect(throws: MalformedMessage.nestedTooDeeply) { try Nest(decoding: bytes) } }
  }

  @Test(arguments: [(99, true), (100, true), (101, false)])
  func `skips groups 100 deep and no deeper`(_ depth: Int, _ isTaken: Bool) {
    let bytes = [UInt8](repeating: 0x7B, count: depth) + [UInt8](repeating: 0x7C, count: depth)
    #expect((try? Nest(decoding: bytes)) == (isTaken ? Nest() : nil))
  }

  @Test(arguments: [(999, true), (1_000, true), (1_001, false)])
  func `counts the elements of all repeated fields against one limit`(_ count: Int, _ isTaken: Bool) {
    // Half of the elements stand inside of the other half.
    let pairs: [[UInt8]] = Array(repeating: [0x0A, 2, 0x0A, 0], count: count / 2)
    var bytes = Array(pairs.joined())
    if count % 2 == 1 { bytes += [0x0A, 0] }
    #expect(((try? Nest(decoding: bytes, elementLimit: 1_000)) != nil) == isTaken)
    if !isTaken {
      #expect(throws: MalformedMessage.tooManyElements) { try Nest(decoding: bytes, elementLimit: 1_000) }
    }
  }

  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])
  func `agrees with the encoder on nested lengths of every size`(_ length: Int) throws {
    let request = RecordTransactionRequest.with {
      $0.transaction = .with { $0.currency = String(repeating: "x", count: length) }
      $0.appleJSON = "after"
    }
    #expect(try RecordTransactionRequest(decoding: request.encoded()) == request)
  }
}
