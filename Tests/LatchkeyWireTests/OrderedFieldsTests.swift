import Protobuf
import TestSupport
import Testing

@Suite struct `Fields in their order` {
  private static let integers: [Int64] =
    [0, .min, .max, -1] + (0..<63).flatMap { shift in [-1, 0, 1].map { Int64(1) << Int64(shift) &+ $0 } }

  /// Reads one integer that fills the bytes; nil where it isn't as it is written.
  private func integer(_ bytes: [UInt8]) -> Int64? {
    var fields = unsafe OrderedFields(filling: bytes.span.bytes)
    let value = unsafe fields.presentInteger(7, in: bytes.span.bytes)
    return fields.isComplete ? value : nil
  }

  @Test(arguments: integers)
  func `give integers of any length, whatever follows, and only in as few bytes as they take`(_ value: Int64) {
    var encoder = MessageEncoder()
    encoder.append(7, signed: value)
    let written = encoder.bytes
    #expect(integer(written) == value)
    var longer = written
    longer[longer.count - 1] |= 0x80
    #expect(integer(longer) == nil)
    #expect(integer(longer + [0]) == nil)
    encoder.append(16, Span())
    var fields = unsafe OrderedFields(filling: encoder.bytes.span.bytes)
    #expect(unsafe fields.presentInteger(7, in: encoder.bytes.span.bytes) == value)
    #expect(unsafe fields.element(16, in: encoder.bytes.span.bytes)?.isEmpty == true)
    #expect(fields.isComplete)
  }

  @Test func `that are complete are the ones that the general decoder reads, and are written as the same bytes`() throws {
    var random = SeededRandom(seed: 14)
    var filler = RandomFiller(random: SeededRandom(seed: 15))
    var completeCount = 0
    for round in 0..<8_000 {
      let written = filler.fill(Samples.self).encoded()
      let bytes = round % 4 == 0 ? written : damaged(round % 4 == 1 ? written + written : written, by: &random)
      let inOrder = unsafe Samples(inOrder: bytes.span.bytes)
      if round % 4 == 0 { #expect(inOrder != nil) }
      guard let inOrder else { continue }
      completeCount += 1
      #expect(try inOrder == Samples(decoding: bytes))
      #expect(inOrder.encoded() == bytes)
    }
    #expect(completeCount > 2_000)
  }
}

/// A field of each kind that is read in order.
private struct Samples: Message {
  var text = ""
  var list: [String] = []
  var number: Int64 = 0
  var presentNumber: Int64?
  var shortNumber: Int32?
  var isTrue = false
  var word = Word()
  var inner: Inner?

  struct Inner: Message {
    var number: Int64 = 0

    mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
      try visitor.int64(1, "number", &number)
    }
  }

  struct Word: OpenEnumeration {
    let rawValue: Int32
    static let names: [(value: Word, name: String)] = [(Word(rawValue: 0), "NONE"), (Word(rawValue: 1), "ONE")]
  }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "text", &text)
    try visitor.strings(2, "list", &list)
    try visitor.int64(3, "number", &number)
    try visitor.int64(4, "present_number", &presentNumber)
    try visitor.int32(5, "short_number", &shortNumber)
    try visitor.bool(6, "is_true", &isTrue)
    try visitor.enumeration(20, "word", &word)
    try visitor.message(200, "inner", &inner)
  }
}

extension Samples {
  init?(inOrder bytes: RawSpan) {
    self.init()
    func text(_ place: Range<Int>) -> String {
      unsafe bytes.extracting(place).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
    var fields = OrderedFields(filling: bytes)
    self.text = text(fields.text(1, in: bytes))
    while let place = fields.element(2, in: bytes) { list.append(text(place)) }
    number = fields.integer(3, in: bytes)
    presentNumber = fields.presentInteger(4, in: bytes)
    shortNumber = fields.presentShortInteger(5, in: bytes)
    isTrue = fields.bool(6, in: bytes)
    word = fields.enumeration(20, in: bytes)
    if var message = fields.message(200, in: bytes) {
      inner = .with { $0.number = message.integer(1, in: bytes) }
      if !message.isComplete { return nil }
    }
    guard fields.isComplete else { return nil }
  }
}
