/// An id or name, compared byte by byte.
///
/// Swift compares strings by canonical equivalence, under which two different customers of a backend could be one; ids of
/// Apple's and of the app's backend are bytes.
package struct Identifier: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let text: String

  /// The most bytes that an id may have wherever one is accepted: a customer, an entitlement, a transaction, a product.
  @inlinable package static var byteLimit: Int { 128 }

  package init(_ text: String) { self.text = text }

  package init(stringLiteral text: String) { self.text = text }

  package static func == (one: Identifier, other: Identifier) -> Bool {
    one.text == other.text && one.text.utf8.elementsEqual(other.text.utf8)
  }

  // Equal bytes are canonically equivalent, so the string's own hash serves.
  package func hash(into hasher: inout Hasher) { text.hash(into: &hasher) }

  package static func < (one: Identifier, other: Identifier) -> Bool { one.text.utf8.lexicographicallyPrecedes(other.text.utf8) }

  package var description: String { text }

  /// Whether its length is within 1 to 128 bytes.
  package var isAcceptable: Bool { (1...Identifier.byteLimit).contains(text.utf8.count) }
}
