/// A value in its document: reads it as a type, and refuses another one by path and line.
package struct JSONReader: Sendable {
  package let value: JSONValue
  /// The keys and indices that lead here; empty for the outermost value.
  package let path: String
  let source: JSONSource

  /// An error about this value.
  package func error(_ message: String) -> JSONError { source.error(message, path: path, at: value.offset) }

  /// An error that says what stands here instead of what was expected.
  package func expected(_ expected: String) -> JSONError { error("expected \(expected), found \(value.kind)") }

  // MARK: Objects

  /// The value of a key; nil where the key is missing or its value is null.
  ///
  /// - Throws: where this is no object.
  package func optional(_ key: String) throws(JSONError) -> JSONReader? {
    guard case .object = value.content else { throw expected("an object") }
    guard let found = value[key], found.content != .null else { return nil }
    return reader(of: found, key: key)
  }

  /// The value of a key that must be there and not null.
  package func required(_ key: String) throws(JSONError) -> JSONReader {
    guard let found = try optional(key) else { throw missing(key) }
    return found
  }

  /// An error that says that this object lacks a key.
  package func missing(_ key: String) -> JSONError {
    source.error("missing", path: path.isEmpty ? key : "\(path).\(key)", at: value.offset)
  }

  /// The members of an object, in the order of the text.
  package func members() throws(JSONError) -> [JSONValue.Member] {
    guard case .object(let members) = value.content else { throw expected("an object") }
    return members
  }

  /// Refuses any key but these, by name, at the key's own line.
  package func refuseKeys(otherThan known: [String]) throws(JSONError) {
    for member in try members() where !known.contains(where: { $0.utf8.elementsEqual(member.key.utf8) }) {
      throw source.error(
        "unknown key \(JSONReader.quoted(member.key)); known are \(known.joined(separator: ", "))", path: path, at: member.offset)
    }
  }

  private func reader(of value: JSONValue, key: String) -> JSONReader {
    JSONReader(value: value, path: path.isEmpty ? key : "\(path).\(key)", source: source)
  }

  // MARK: Arrays and scalars

  /// The elements of an array.
  package func elements() throws(JSONError) -> [JSONReader] {
    guard case .array(let elements) = value.content else { throw expected("an array") }
    return elements.enumerated().map { JSONReader(value: $1, path: "\(path)[\($0)]", source: source) }
  }

  /// A string of any length.
  package func string() throws(JSONError) -> String {
    guard case .string(let text) = value.content else { throw expected("a string") }
    return text
  }

  /// Whether it is true or false.
  package func boolean() throws(JSONError) -> Bool {
    guard case .boolean(let isTrue) = value.content else { throw expected("true or false") }
    return isTrue
  }

  /// A 64-bit integer. A whole number in another notation (`1.0`, `17e2`) is one too; one with a fraction is refused, never
  /// rounded.
  ///
  /// - Parameter meaning: what an error says was expected.
  package func integer(_ meaning: String = "an integer") throws(JSONError) -> Int64 {
    switch value.content {
    case .integer(let integer): return integer
    case .decimal(let text):
      guard let integer = Int64(wholeDecimal: text) else {
        throw error("expected \(meaning), found \(JSONReader.shortened(text))")
      }
      return integer
    default: throw expected(meaning)
    }
  }

  // MARK: Text in errors

  /// A text in quotes, cut after 64 characters so that a message stays a line.
  package static func quoted(_ text: String) -> String { JSONValue.string(shortened(text)).compact }

  private static func shortened(_ text: String) -> String {
    text.unicodeScalars.count > 64 ? String(text.unicodeScalars.prefix(64)) + "…" : text
  }
}
