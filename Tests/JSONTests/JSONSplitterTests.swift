import JSON
import TestSupport
import Testing

@Suite("Splitting a long input")
struct JSONSplitterTests {
  /// Every step of an input, as `line: object` or `line:column! message`, fed in chunks of a size.
  private func steps(_ bytes: [UInt8], chunk: Int, sizeLimit: Int = 1_000) -> [String] {
    var splitter = JSONSplitter(sizeLimit: sizeLimit)
    var steps: [String] = []
    var rest = bytes[...]
    while true {
      switch splitter.next() {
      case .object(let object, let line): steps.append("\(line): \(String(decoding: object, as: UTF8.self))")
      case .malformed(let error): steps.append("\(error.line):\(error.column)! \(error.message)")
      case .needsMore:
        if rest.isEmpty { splitter.finish() }
        splitter.append(rest.prefix(chunk))
        rest = rest.dropFirst(chunk)
      case .end: return steps
      }
    }
  }

  private static let begins = "the object that begins here is malformed: "

  @Test(
    "gives every object with its line, and every malformed place, however the input is cut into chunks",
    arguments: [
      ("", []),
      (" \n\n", []),
      ("{\"a\":1}", ["1: {\"a\":1}"]),
      ("{\"a\":1}\n\n{\"b\":[{}]}\r\n", ["1: {\"a\":1}", "3: {\"b\":[{}]}"]),
      ("{}{\"b\":\"}\\\"{\"}", ["1: {}", "1: {\"b\":\"}\\\"{\"}"]),
      ("{\n \"a\": {\n }\n}\n{}", ["1: {\n \"a\": {\n }\n}", "5: {}"]),
      ("[]", []),
      ("[\n  {\"a\":1},\n  {\"b\":2}\n]\n", ["2: {\"a\":1}", "3: {\"b\":2}"]),
      ("[{},{}]\n[{}]", ["1: {}", "1: {}", "2: {}"]),
      // Cut-off lines, garbage and missing quotes cost only themselves.
      ("{\"a\":1\n{\"b\":2}\n", ["1:1! \(begins)it is not closed before another bracket opens", "2: {\"b\":2}"]),
      (
        "{\"a\":\n{\"b\":2}\n{\"c\":3}\n",
        [
          "1:1! \(begins)it is not closed before another bracket opens", "2: {\"b\":2}", "3: {\"c\":3}",
        ]
      ),
      ("{\"a\":\"x}\n{\"b\":2}", ["1:1! \(begins)a string in it has no closing quote on its line", "2: {\"b\":2}"]),
      ("{\"a\":[}\n{}", ["1:1! \(begins)a bracket in it closes what another kind opened", "2: {}"]),
      ("{}\n hello\n{}", ["1: {}", "2:2! expected an object", "3: {}"]),
      ("{}}\n{}", ["1: {}", "1:3! expected an object", "2: {}"]),
      ("{}\n{\"a\":", ["1: {}", "2:1! the object that begins here is not closed"]),
      ("{\"a\":{\n  \"x\n  {}\n}\n{\"b\":1}", ["1:1! \(begins)a string in it has no closing quote on its line", "5: {\"b\":1}"]),
      ("[{}, 5,\n {}]", ["1: {}", "1:6! expected an object", "2: {}"]),
      ("[\n {\"a\":\"},\n {\"b\":1}\n]", ["2:2! \(begins)a string in it has no closing quote on its line", "3: {\"b\":1}"]),
      (
        "[\n {\"a\" {}},\n  {},\n]\n[{\"b\":1}]",
        [
          "2:2! \(begins)it is not closed before another bracket opens", "5: {\"b\":1}",
        ]
      ),
      ("[{} {}]\n", ["1: {}", "1:5! expected a comma or the end of the array"]),
      ("[{},", ["1: {}", "1:5! the array is not closed"]),
    ] as [(String, [String])])
  func splits(input: String, expected: [String]) {
    let bytes = Array(input.utf8)
    for chunk in [1, 2, 3, 7, 1_000] { #expect(steps(bytes, chunk: chunk) == expected, "in chunks of \(chunk)") }
  }

  @Test("refuses an object above the size limit and goes on behind it", arguments: [(19, true), (20, true), (21, false)])
  func limitsSize(count: Int, isAccepted: Bool) {
    let object = "{\"a\":\"" + String(repeating: "x", count: count - 8) + "\"}"
    let expected = isAccepted ? "1: \(object)" : "1:1! the object that begins here has more than 20 bytes"
    #expect(steps(Array("\(object)\n{}".utf8), chunk: 5, sizeLimit: 20) == [expected, "2: {}"])
  }

  @Test("refuses an object that nests more than 64 levels deep", arguments: [(64, true), (65, false)])
  func limitsDepth(depth: Int, isAccepted: Bool) {
    let object = String(repeating: "{\"a\":", count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
    let found = steps(Array("\(object)\n{}".utf8), chunk: 100)
    #expect(found.count == 2)
    #expect(found.first?.contains("!") == !isAccepted)
    #expect(found.last == "2: {}")
  }

  @Test("ends, whatever bytes it is given, and gives the same in any chunks", arguments: 0..<8 as Range<UInt64>)
  func survivesNoise(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let alphabet = Array("{}[]\",:\\\n a1".utf8)
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0..<80, using: &random)).map { _ in
        random.oneIn(20) ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random) ?? 0
      }
      #expect(steps(bytes, chunk: 1) == steps(bytes, chunk: 1_000))
    }
  }

  @Test("gives every intact line among damaged ones")
  func givesEveryIntactLine() {
    var random = SeededRandom(seed: 7)
    var lines: [String] = []
    var intact: [String] = []
    for number in 1...500 {
      let line = #"{"id":\#(number),"data":{"list":[{"x":"y"}]}}"#
      let isCut = random.oneIn(3)
      lines.append(isCut ? String(line.dropLast(Int.random(in: 1..<20, using: &random))) : line)
      if !isCut { intact.append("\(number): \(line)") }
    }
    let found = steps(Array((lines.joined(separator: "\n") + "\n").utf8), chunk: 100)
    #expect(found.filter { !$0.contains("!") } == intact)
    #expect(found.count == 500)
  }
}
