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
    let (mine, theirs) = (one.text.utf8.span, other.text.utf8.span)
    return mine.count == theirs.count && mine.firstDifference(from: theirs) == nil
  }

  // Equal bytes are canonically equivalent, so the string's own hash serves.
  package func hash(into hasher: inout Hasher) { text.hash(into: &hasher) }

  package static func < (one: Identifier, other: Identifier) -> Bool {
    let (mine, theirs) = (one.text.utf8.span, other.text.utf8.span)
    guard let difference = mine.firstDifference(from: theirs) else { return mine.count < theirs.count }
    return difference.mine < difference.theirs
  }

  package var description: String { text }

  /// Whether its length is within 1 to 128 bytes.
  package var isAcceptable: Bool { (1...Identifier.byteLimit).contains(text.utf8.count) }
}

extension Identifier {
  /// Transaction ids compare as numbers if both are all digits, else by bytes.
  func isLesserTransactionID(than other: Identifier) -> Bool {
    let (mine, theirs) = (text.utf8.span, other.text.utf8.span)
    guard mine.isAllDigits, theirs.isAllDigits else { return self < other }
    // Apple's have one length mostly, and numbers of one length compare as their bytes do.
    if mine.count == theirs.count { return self < other }
    let (myZeros, theirZeros) = (mine.leadingZeros, theirs.leadingZeros)
    let (myLength, theirLength) = (mine.count - myZeros, theirs.count - theirZeros)
    if myLength != theirLength { return myLength < theirLength }
    let difference = mine.extracting(myZeros...).firstDifference(from: theirs.extracting(theirZeros...))
    return difference.map { $0.mine < $0.theirs } ?? (self < other)
  }
}

extension Span<UInt8> {
  /// Whether it is a number in decimal.
  fileprivate var isAllDigits: Bool {
    for index in indices where self[index] &- UInt8(ascii: "0") > 9 { return false }
    return !isEmpty
  }

  fileprivate var leadingZeros: Int {
    var zeros = 0
    while zeros < count, self[zeros] == UInt8(ascii: "0") { zeros += 1 }
    return zeros
  }

  /// Where two texts differ first, within the bytes that both have; nil where they don't.
  fileprivate func firstDifference(from other: Span<UInt8>) -> (mine: UInt64, theirs: UInt64)? {
    let mine = unsafe bytes
    let theirs = unsafe other.bytes
    let count = Swift.min(count, other.count)
    var offset = 0
    // Eight bytes at a time, the last ones perhaps for the second time: comparing ids is a great part of what the ledger does.
    while offset + 8 <= count || count >= 8 && offset < count {
      let place = Swift.min(offset, count - 8)
      let one = unsafe mine.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
      let another = unsafe theirs.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
      if one != another { return (UInt64(bigEndian: one), UInt64(bigEndian: another)) }
      offset += 8
    }
    while offset < count {
      if self[offset] != other[offset] { return (UInt64(self[offset]), UInt64(other[offset])) }
      offset += 1
    }
    return nil
  }
}
