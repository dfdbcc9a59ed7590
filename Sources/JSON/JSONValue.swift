/// A JSON value. One that was read remembers where it stood; values compare by content alone.
package struct JSONValue: Equatable, Sendable {
  package var content: Content
  /// The index of its first byte in the text that it was read from; zero for one that was made.
  package var offset: Int

  package init(_ content: Content, offset: Int = 0) {
    self.content = content
    self.offset = offset
  }

  /// What a value holds.
  package enum Content: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// Any other number, as it is written: with a fraction, an exponent, or beyond 64 bits.
    case decimal(String)
    case string(String)
    case array([JSONValue])
    /// In the order of the text.
    case object([Member])
  }

  /// A key and its value.
  package struct Member: Equatable, Sendable {
    package var key: String
    package var value: JSONValue
    /// Where the key stands.
    package var offset: Int

    package init(key: String, value: JSONValue, offset: Int = 0) {
      self.key = key
      self.value = value
      self.offset = offset
    }

    package static func == (one: Member, other: Member) -> Bool { one.key == other.key && one.value == other.value }
  }

  package static func == (one: JSONValue, other: JSONValue) -> Bool { one.content == other.content }

  package static let null = JSONValue(.null)
  package static func boolean(_ value: Bool) -> JSONValue { JSONValue(.boolean(value)) }
  package static func integer(_ value: Int64) -> JSONValue { JSONValue(.integer(value)) }
  package static func string(_ value: String) -> JSONValue { JSONValue(.string(value)) }
  package static func array(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }
  package static func object(_ members: [Member]) -> JSONValue { JSONValue(.object(members)) }
  /// A fractional number; null for what JSON cannot write (not a number, infinity).
  package static func fraction(_ value: Double) -> JSONValue { JSONValue(value.isFinite ? .decimal("\(value)") : .null) }

  /// The value of a key, which is compared byte by byte; nil where there is none, or where this is no object.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  /// What the value is, as an error names it.
  package var kind: String {
    switch content {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer: "an integer"
    case .decimal: "a number that is no 64-bit integer"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member(key: $0.0, value: $0.1) })
  }
}
