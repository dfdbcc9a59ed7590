/// An id or name, compared byte by byte.
///
/// Swift compares strings by canonical equivalence, under which two different customers of a backend could be one; ids of
/// Apple's and of the app's backend are bytes.
///
/// Apple's ids are numbers in decimal and most customers' are UUIDs, so those are kept as numbers: nothing is allocated for them,
/// nothing counts references to them, and comparing them is one comparison or two.
package struct Identifier: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  let form: Form

  /// How the bytes are kept: in the first form that gives the very same ones back.
  enum Form: Sendable {
    /// In decimal, without leading zeros; not zero.
    case number(UInt64)
    case uuid(UUIDBits, LetterCase)
    case text(String)
  }

  /// The most bytes that an id may have wherever one is accepted: a customer, an entitlement, a transaction, a product.
  @inlinable package static var byteLimit: Int { 128 }

  package init(_ text: String) { form = Form(ofNumber: text.utf8.span) ?? .text(text) }

  /// Makes an id of the bytes of its text, which are UTF-8.
  package init(utf8 bytes: RawSpan) {
    form =
      unsafe bytes.withUnsafeBytes { bytes in
        // Bytes may always be read as UInt8.
        unsafe Form(ofNumber: bytes.assumingMemoryBound(to: UInt8.self).span) ?? .text(String(decoding: bytes, as: UTF8.self))
      }
  }

  package init(stringLiteral text: String) { self.init(text) }

  init(form: Form) { self.form = form }

  package var text: String {
    switch form {
    case .number(let number): String(number)
    case .uuid(let bits, let letters): bits.text(in: letters)
    case .text(let text): text
    }
  }

  /// Whether it has no bytes. No recording gives such an id.
  package var isEmpty: Bool { byteCount == 0 }

  package var byteCount: Int {
    switch form {
    case .number(let number): number.decimalDigitCount
    case .uuid: UUIDBits.textByteCount
    case .text(let text): text.utf8.count
    }
  }

  package static func == (one: Identifier, other: Identifier) -> Bool {
    switch (one.form, other.form) {
    case (.number(let one), .number(let other)): return one == other
    case (.uuid(let one, let letters), .uuid(let other, let otherLetters)): return one == other && letters == otherLetters
    case (.text(let one), .text(let other)):
      return one.utf8.span.hasSameBytes(as: other.utf8.span)
    default: return false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch form {
    case .number(let number): hasher.combine(number)
    case .uuid(let bits, _): hasher.combine(bits)
    // Equal bytes are canonically equivalent, so the string's own hash serves.
    case .text(let text): text.hash(into: &hasher)
    }
  }

  package static func < (one: Identifier, other: Identifier) -> Bool {
    switch (one.form, other.form) {
    case (.number(let mine), .number(let theirs)) where mine.decimalDigitCount == theirs.decimalDigitCount: return mine < theirs
    case (.uuid(let mine, let letters), .uuid(let theirs, let others)) where letters == others: return mine < theirs
    default:
      let (mine, theirs) = (one.text, other.text)
      return mine.utf8.span.precedes(theirs.utf8.span)
    }
  }

  package var description: String { text }

  /// Whether its length is within 1 to 128 bytes.
  package var isAcceptable: Bool {
    switch form {
    // Of 19 digits at most.
    case .number: true
    case .uuid, .text: (1...Identifier.byteLimit).contains(byteCount)
    }
  }
}

extension Identifier {
  /// Transaction ids compare as numbers if both are all digits, else by bytes.
  func isLesserTransactionID(than other: Identifier) -> Bool {
    if case .number(let mine) = form, case .number(let theirs) = other.form { return mine < theirs }
    let (myText, theirText) = (text, other.text)
    let (mine, theirs) = (myText.utf8.span, theirText.utf8.span)
    guard mine.isAllDigits, theirs.isAllDigits else { return mine.precedes(theirs) }
    let (myZeros, theirZeros) = (mine.leadingZeros, theirs.leadingZeros)
    let (myLength, theirLength) = (mine.count - myZeros, theirs.count - theirZeros)
    if myLength != theirLength { return myLength < theirLength }
    let difference = mine.extracting(myZeros...).firstDifference(from: theirs.extracting(theirZeros...))
    return difference.map { $0.mine < $0.theirs } ?? mine.precedes(theirs)
  }
}

extension Span<UInt8> {
  /// Whether these are the same bytes as others.
  func hasSameBytes(as other: Span<UInt8>) -> Bool { count == other.count && firstDifference(from: other) == nil }

  /// Whether these bytes come before others, compared byte by byte.
  fileprivate func precedes(_ other: Span<UInt8>) -> Bool {
    guard let difference = firstDifference(from: other) else { return count < other.count }
    return difference.mine < difference.theirs
  }

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
