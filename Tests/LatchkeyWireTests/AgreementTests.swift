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
    let questions = FileManager.default.temporaryDirectory.appending(path: "latchkey-peer-\(UUID())")
    try Data((commands.joined(separator: "\n") + "\n").utf8).write(to: questions)
    defer { try? FileManager.default.removeItem(at: questions) }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: interpreter)
    process.arguments = [Schema.root.appending(path: "schema/vectors/protobuf_peer.py").path]
    process.standardInput = try FileHandle(forReadingFrom: questions)
    process.standardOutput = output
    try process.run()
    let answers = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let lines = answers.split(separator: UInt8(ascii: "\n"))
    guard lines.count == commands.count else { throw CocoaError(.fileReadCorruptFile) }
    return lines.map { Data($0) }
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

  @Test(.serialized, arguments: Schema.messageNames)
  func `reads what Latchkey writes`(_ name: String) throws {
    var filler = RandomFiller(random: SeededRandom(seed: 4))
    func check<Value: Message>(_ type: Value.Type) throws {
      let messages = (0..<100).map { _ in filler.fill(Value.self) }
      let answers = try Peer.answers(messages.map { Peer.parse(name, $0.encoded()) })
      for (message, answer) in zip(messages, answers) { #expect(answer.fields == PlainValue(message)) }
    }
    try check(Schema.type(name))
  }

  @Test(.serialized, arguments: Schema.messageNames)
  func `writes what Latchkey reads`(_ name: String) throws {
    func check<Value: Message>(_ type: Value.Type) throws {
      for answer in try Peer.answers((0..<100).map { "build \(name) \($0)" }) {
        let message = try Value(decoding: bytes(#require(answer.hex)))
        #expect(PlainValue(message) == answer.fields)
      }
    }
    try check(Schema.type(name))
  }

  @Test(.serialized, arguments: Schema.messageNames)
  func `takes and refuses the same damaged messages`(_ name: String) throws {
    var random = SeededRandom(seed: 5)
    var filler = RandomFiller(random: SeededRandom(seed: 6))
    func check<Value: Message>(_ type: Value.Type) throws {
      let damages = (0..<300).map { _ in damaged(filler.fill(Value.self).encoded(), by: &random) }
      let answers = try Peer.answers(damages.map { Peer.parse(name, $0) })
      for (bytes, answer) in zip(damages, answers) {
        let message = try? Value(decoding: bytes)
        #expect(message.map { PlainValue($0) } == answer.fields, "\(hexadecimal(bytes))")
      }
    }
    try check(Schema.type(name))
  }
}
