import JSON
import TestSupport
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
  private let value: JSONValue = [
    "empty": [], "none": [:], "list": [1, .null, true], "text": "a\"\\\n\r\t\u{1}\u{1F}é\u{7F}", "half": .fraction(0.5),
    "infinite": .fraction(.infinity),
  ]

  @Test("compact leaves out all white space and escapes what must be")
  func compact() {
    #expect(
      value.compact
        == #"{"empty":[],"none":{},"list":[1,null,true],"text":"a\"\\\n\r\t\u0001\u001fé"#
        + "\u{7F}" + #"","half":0.5,"infinite":null}"#)
  }

  @Test("pretty gives each item its own line")
  func pretty() {
    let value: JSONValue = ["empty": [], "list": [1, ["a": "b"]], "none": [:]]
    #expect(
      value.pretty == """
        {
          "empty": [],
          "list": [
            1,
            {
              "a": "b"
            }
          ],
          "none": {}
        }
        """)
  }

  @Test("and reading again gives the same value", arguments: 0..<200 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let value = randomValue(depth: 5, using: &random)
    #expect(try JSONDocument(parsing: value.compact).root.value == value)
    #expect(try JSONDocument(parsing: value.pretty).root.value == value)
  }

  private func randomValue(depth: Int, using random: inout SeededRandom) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
    case 0: return .null
    case 1: return .boolean(random.oneIn(2))
    case 2: return .integer(Int64.random(in: .min ... .max, using: &random))
    case 3: return .fraction(Double(Int32.random(in: .min ... .max, using: &random)) + 0.25)
    case 4: return .string(randomText(using: &random))
    case 5, 6:
      return .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in randomValue(depth: depth - 1, using: &random) })
    default:
      return .object(
        (0..<Int.random(in: 0..<4, using: &random)).map {
          JSONValue.Member(key: "\($0)" + randomText(using: &random), value: randomValue(depth: depth - 1, using: &random))
        })
    }
  }

  private func randomText(using random: inout SeededRandom) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0..<8, using: &random) {
      let limit: UInt32 = random.oneIn(2) ? 0x80 : 0x11_0000
      if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &random)) { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}
