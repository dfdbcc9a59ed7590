import Protobuf
import TestSupport

/// The visitor that gives every field of a message a random value, about a third of them their default.
struct RandomFiller: FieldVisitor {
  typealias Failure = Never

  var random: SeededRandom

  /// Makes a message of random values.
  mutating func fill<Value: Message>(_ type: Value.Type) -> Value {
    var message = Value()
    message.visit(&self)
    return message
  }

  private mutating func text() -> String {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: ""
    case 2: "Zoë 🗝"
    case 3: "\0\"\\\n\u{7F}"
    case 4: String(repeating: "é", count: Int.random(in: 60...70, using: &random))
    default: String(Int64.random(in: 0...Int64.max, using: &random))
    }
  }

  /// Draws an integer whose length in bits is as likely to be one as another.
  private mutating func integer<Value: FixedWidthInteger>() -> Value {
    let drawn = Value.random(in: .min ... .max, using: &random)
    return random.oneIn(3) ? 0 : drawn >> Value(Int.random(in: 0..<Value.bitWidth, using: &random))
  }

  mutating func string(_ number: Int, _ name: StaticString, _ value: inout String) { value = text() }
  mutating func bool(_ number: Int, _ name: StaticString, _ value: inout Bool) { value = random.oneIn(2) }
  mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32) { value = integer() }
  mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64) { value = integer() }
  mutating func uint32(_ number: Int, _ name: StaticString, _ value: inout UInt32) { value = integer() }
  mutating func uint64(_ number: Int, _ name: StaticString, _ value: inout UInt64) { value = integer() }

  mutating func bytes(_ number: Int, _ name: StaticString, _ value: inout [UInt8]) {
    value = (0..<Int.random(in: 0..<300, using: &random)).map { _ in integer() }
  }

  mutating func enumeration<Value: OpenEnumeration>(_ number: Int, _ name: StaticString, _ value: inout Value) {
    value = random.oneIn(4) ? Value(rawValue: integer()) : Value.names.randomElement(using: &random)?.value ?? Value()
  }

  mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32?) {
    value = random.oneIn(3) ? nil : integer()
  }

  mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64?) {
    value = random.oneIn(3) ? nil : integer()
  }

  mutating func enumeration<Value: OpenEnumeration>(_ number: Int, _ name: StaticString, _ value: inout Value?) {
    value = random.oneIn(3) ? nil : Value(rawValue: integer())
  }

  mutating func message<Value: Message>(_ number: Int, _ name: StaticString, _ value: inout Value?) {
    value = random.oneIn(3) ? nil : fill(Value.self)
  }

  mutating func strings(_ number: Int, _ name: StaticString, _ values: inout [String]) {
    values = (0..<Int.random(in: 0..<4, using: &random)).map { _ in text() }
  }

  mutating func messages<Value: Message>(_ number: Int, _ name: StaticString, _ values: inout [Value]) {
    values = (0..<Int.random(in: 0..<4, using: &random)).map { _ in fill(Value.self) }
  }
}
