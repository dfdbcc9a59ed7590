import JSON
import Protobuf

/// The visitor that fills a message from JSON, as `JSONPrinter` prints it: what it doesn't know is refused, never left out.
struct JSONMessageReader: FieldVisitor {
  typealias Failure = JSONError

  private let object: JSONReader
  private var known: [String] = []

  /// Reads a message from an object.
  ///
  /// - Throws: `JSONError` with path and line for a value of another type, and for a key that the message doesn't have.
  static func read<Value: Message>(_ type: Value.Type = Value.self, from object: JSONReader) throws(JSONError) -> Value {
    var value = Value()
    var reader = JSONMessageReader(object: object)
    try value.visit(&reader)
    try object.refuseKeys(otherThan: reader.known)
    return value
  }

  private init(object: JSONReader) { self.object = object }

  private mutating func field(_ name: StaticString) throws(JSONError) -> JSONReader? {
    known.append("\(name)")
    return try object.optional("\(name)")
  }

  private mutating func integer<Value: FixedWidthInteger>(_ name: StaticString) throws(JSONError) -> Value? {
    guard let field = try field(name) else { return nil }
    guard let value = Value(exactly: try field.integer()) else { throw field.error("expected an integer that is not so large") }
    return value
  }

  private mutating func named<Value: OpenEnumeration>(_ name: StaticString) throws(JSONError) -> Value? {
    guard let field = try field(name) else { return nil }
    if case .integer(let number) = field.value.content, let number = Int32(exactly: number) { return Value(rawValue: number) }
    let text = try field.string()
    guard let value = Value(name: text) else { throw field.error("\(JSONReader.quoted(text)) is no value of it") }
    return value
  }
}

extension JSONMessageReader {
  mutating func string(_ number: Int, _ name: StaticString, _ value: inout String) throws(JSONError) {
    value = try field(name)?.string() ?? value
  }

  // No message that is printed for people holds bytes.
  mutating func bytes(_ number: Int, _ name: StaticString, _ value: inout [UInt8]) throws(JSONError) {
    if let field = try field(name) { throw field.error("bytes aren't read from JSON") }
  }

  mutating func bool(_ number: Int, _ name: StaticString, _ value: inout Bool) throws(JSONError) {
    value = try field(name)?.boolean() ?? value
  }

  mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32) throws(JSONError) {
    value = try integer(name) ?? value
  }

  mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64) throws(JSONError) {
    value = try integer(name) ?? value
  }

  mutating func uint32(_ number: Int, _ name: StaticString, _ value: inout UInt32) throws(JSONError) {
    value = try integer(name) ?? value
  }

  mutating func uint64(_ number: Int, _ name: StaticString, _ value: inout UInt64) throws(JSONError) {
    value = try integer(name) ?? value
  }

  mutating func enumeration<Value: OpenEnumeration>(
    _ number: Int, _ name: StaticString, _ value: inout Value
  ) throws(JSONError) { value = try named(name) ?? value }

  mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32?) throws(JSONError) { value = try integer(name) }

  mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64?) throws(JSONError) { value = try integer(name) }

  mutating func enumeration<Value: OpenEnumeration>(
    _ number: Int, _ name: StaticString, _ value: inout Value?
  ) throws(JSONError) { value = try named(name) }

  mutating func message<Value: Message>(_ number: Int, _ name: StaticString, _ value: inout Value?) throws(JSONError) {
    guard let field = try field(name) else { return }
    value = try JSONMessageReader.read(from: field)
  }

  mutating func strings(_ number: Int, _ name: StaticString, _ values: inout [String]) throws(JSONError) {
    for element in try field(name)?.elements() ?? [] { values.append(try element.string()) }
  }

  mutating func messages<Value: Message>(_ number: Int, _ name: StaticString, _ values: inout [Value]) throws(JSONError) {
    for element in try field(name)?.elements() ?? [] { values.append(try JSONMessageReader.read(from: element)) }
  }
}
