import JSON
import TestSupport
import Testing

@Suite("A JSON document")
struct JSONDocumentTests {
  private func root(_ text: String) throws -> JSONValue { try JSONDocument(parsing: text).root.value }

  @Test(
    "holds each kind of value",
    arguments: [
      ("null", .null), (" true ", true), ("false", false), ("0", 0), ("-17", -17),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", JSONValue(.decimal("9223372036854775808"))), ("1.50", JSONValue(.decimal("1.50"))),
      ("-2E+07", JSONValue(.decimal("-2E+07"))), (#""""#, ""), ("[]", []), ("{}", [:]), ("[ 1 , [2] ]", [1, [2]]),
      ("\t{ \"a\" : {\"b\": null}, \"\": 2 }\r\n", ["a": ["b": .null], "": 2]),
    ] as [(String, JSONValue)])
  func holdsEachKind(text: String, value: JSONValue) throws {
    #expect(try root(text) == value)
  }

  @Test(
    "resolves escapes",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\uDE00!""#, "😀!"),
      (#""a\u0000b""#, "a\0b"), ("\"é😀\"", "é😀"),
    ])
  func resolvesEscapes(text: String, string: String) throws {
    #expect(try root(text) == .string(string))
  }

  @Test(
    "is refused with line and column",
    arguments: [
      ("", "line 1, column 1: expected a value, found the end"),
      ("{\n  \"a\": tru\n}", "line 2, column 8: expected a value, found `t`"),
      ("[1,]", "line 1, column 4: expected a value, found `]`"),
      ("[1 2]", "line 1, column 4: expected a comma or the end of the array, found `2`"),
      ("{\"a\" 1}", "line 1, column 6: expected a colon after the key, found `1`"),
      ("{\"a\":1,}", "line 1, column 8: expected a key in quotes, found `}`"),
      ("{\"a\":1", "line 1, column 7: expected a comma or the end of the object, found the end"),
      ("1 1", "line 1, column 3: expected the end of the document, found `1`"),
      ("01", "line 1, column 2: expected the end of the document, found `1`"),
      ("1.", "line 1, column 3: expected a digit, found the end"), ("-x", "line 1, column 2: expected a digit, found `x`"),
      ("1e+", "line 1, column 4: expected a digit, found the end"),
      ("\"é\n\"", "line 1, column 3: expected an escape in place of a control character, found the byte 0x0A"),
      ("\"ab", "line 1, column 1: the string has no closing quote"),
      (#""\x""#, "line 1, column 3: expected a letter that makes an escape, found `x`"),
      (#""\u12g4""#, "line 1, column 6: expected four hexadecimal digits, found `g`"),
      (#""\ud800""#, "line 1, column 2: an escaped surrogate stands alone"),
      (#""\udc00""#, "line 1, column 2: an escaped surrogate stands alone"),
      (#""\ud800\u0041""#, "line 1, column 2: an escaped surrogate stands alone"),
      ("{\"a\":1,\n \"b\":2,\n \"a\":3}", #"line 3, column 2: the key "a" stands twice in one object"#),
      (#"{"a":1,"\u0061":3}"#, #"line 1, column 8: the key "a" stands twice in one object"#),
      ("\u{FEFF}{}", "line 1, column 1: expected a value, found the byte 0xEF"),
    ])
  func isRefused(text: String, description: String) {
    let error = #expect(throws: JSONError.self) { try root(text) }
    #expect(error?.description == description)
  }

  @Test("tells keys apart that only look equal")
  func tellsKeysApart() throws {
    let object = try root("{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(object["\u{E9}"] == 1)
    #expect(object["e\u{301}"] == 2)
  }

  @Test(
    "is refused where a string is not UTF-8",
    arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]])
  func isRefusedOutsideUTF8(bytes: [UInt8]) {
    let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: [0x0A, 0x22] + bytes + [0x22]) }
    #expect(error?.description == "line 2, column 1: the string is not valid UTF-8")
  }

  @Test("may nest 64 levels deep and no more", arguments: [(63, true), (64, true), (65, false), (100_000, false)])
  func nests(depth: Int, isAccepted: Bool) {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
      #expect(((try? root(text)) != nil) == isAccepted)
    }
  }

  @Test("may have as many bytes as the limit and no more", arguments: [(9, true), (10, true), (11, false)])
  func hasALimit(count: Int, isAccepted: Bool) {
    let text = "\"" + String(repeating: "x", count: count - 2) + "\""
    #expect(((try? JSONDocument(parsing: text, sizeLimit: 10)) != nil) == isAccepted)
  }

  @Test("is refused wherever it is cut off")
  func isRefusedWhereCutOff() {
    let bytes = Array(#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00"],"b":{"c":null,"d":[true,false,{}]}}"#.utf8)
    #expect((try? JSONDocument(parsing: bytes)) != nil)
    for count in 0..<bytes.count {
      #expect(throws: JSONError.self) { try JSONDocument(parsing: Array(bytes.prefix(count))) }
    }
  }

  @Test("is read or refused, whatever bytes are changed in it", arguments: 0..<8 as Range<UInt64>)
  func survivesNoise(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let original = Array(#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00é"],"b":{"c":null,"d":[true,false,{}]}}"#.utf8)
    let telling = Array("{}[]\",:\\u0e-.tfn".utf8)
    for _ in 0..<2_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] = random.oneIn(2) ? UInt8.random(in: 0...255, using: &random) : telling.randomElement(using: &random) ?? 0
      }
      guard let value = try? JSONDocument(parsing: bytes).root.value else { continue }
      #expect((try? root(value.compact)) == value)
    }
  }
}
