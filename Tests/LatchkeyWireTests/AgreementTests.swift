import Foundation
import LatchkeyWire
import Protobuf
import TestSupport
import Testing

/// Google's protobuf runtime in Python, asked by lines of text; see `schema/vectors/protobuf_peer.py`.
enum Peer {
  struct Answer: Decodable {
    var hex: String?
    var fields: PlainValue?
    var error: String?
  }

  static let interpreter =
    ProcessInfo.processInfo.environment["LATCHKEY_PYTHON"] ?? Schema.root.appending(path: ".build/python/bin/python3").path

  /// Whether the interpreter has the protobuf package, and protoc is there to read the schema.
  static let isThere = (try? ask(["names"])) != nil

  /// Asks the peer, and gives its answers line by line.
  static func ask(_ commands: [String]) throws -> [Data] {
    let answers = try Program.run(
      interpreter, [Schema.root.appending(path: "schema/vectors/protobuf_peer.py").path],
      input: commands.joined(separator: "\n") + "\n")
    let lines = answers.output.split(separator: "\n")
    guard lines.count == commands.count else { throw CocoaError(.fileReadCorruptFile) }
    return lines.map { Data($0.utf8) }
  }

  static func answers(_ commands: [String]) throws -> [Answer] {
    try ask(commands).map { try JSONDecoder().decode(Answer.self, from: $0) }
  }

  static func parse(_ name: String, _ bytes: [UInt8]) -> String {
    "parse \(name) \(bytes.isEmpty ? "-" : hexadecimal(bytes))"
  }
}

@Suite(.enabled(if: Peer.isThere, "needs Python with protobuf (LATCHKEY_PYTHON) and protoc"))
struct `Google's protobuf runtime` {
  private struct Names: Decodable {
    var messages: [String]
    var enumerations: [String: [String: Int32]]
  }

  @Test func `knows the same messages and enumerations`() throws {
    let names = try JSONDecoder().decode(Names.self, from: Peer.ask(["names"])[0])
    #expect(names.messages == Schema.messageNames)
    #expect(names.enumerations.keys.sorted() == Schema.enumerations.keys.sorted())
    for (name, values) in names.enumerations {
      let (type, prefix) = try #require(Schema.enumerations[name])
      #expect(numbers(type, prefix: prefix) == values, "\(name)")
    }
  }

  private func numbers<Value: OpenEnumeration>(_ type: Value.Type, prefix: String) -> [String: Int32] {
    Dictionary(uniqueKeysWithValues: Value.names.map { (prefix + $0.name, $0.value.rawValue) })
  }

  @Test func `reads what Latchkey writes`() throws {
    var filler = RandomFiller(random: SeededRandom(seed: 4))
    try compare(count: 100) { name in try encoded(Schema.type(name), &filler) }
  }

  @Test func `takes and refuses the same damaged messages`() throws {
    var random = SeededRandom(seed: 5)
    var filler = RandomFiller(random: SeededRandom(seed: 6))
    try compare(count: 300) { name in damaged(try encoded(Schema.type(name), &filler), by: &random) }
  }

  @Test func `writes what Latchkey reads`() throws {
    let builds = Schema.messageNames.flatMap { name in (0..<30).map { (name, "build \(name) \($0)") } }
    for ((name, _), answer) in zip(builds, try Peer.answers(builds.map(\.1))) {
      let hex = try #require(answer.hex)
      #expect(try decoded(Schema.type(name), bytes(hex)) == answer.fields, "\(name) \(hex)")
    }
  }

  /// Makes some bytes of every message, and compares what both sides read in them.
  private func compare(count: Int, _ make: (String) throws -> [UInt8]) throws {
    let samples = try Schema.messageNames.flatMap { name in try (0..<count).map { _ in (name, try make(name)) } }
    let answers = try Peer.answers(samples.map { Peer.parse($0.0, $0.1) })
    for ((name, bytes), answer) in zip(samples, answers) {
      #expect(try decoded(Schema.type(name), bytes) == answer.fields, "\(name) \(hexadecimal(bytes))")
    }
  }

  private func encoded<Value: Message>(_ type: Value.Type, _ filler: inout RandomFiller) -> [UInt8] {
    filler.fill(Value.self).encoded()
  }

  private func decoded<Value: Message>(_ type: Value.Type, _ bytes: [UInt8]) -> PlainValue? {
    (try? Value(decoding: bytes)).map { PlainValue($0) }
  }
}
