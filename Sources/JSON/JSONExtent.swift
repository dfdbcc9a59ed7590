/// Finds the end of an object byte by byte, by its brackets and strings alone.
///
/// An opening bracket where JSON allows none breaks it at once: so an object that was cut off doesn't swallow those behind it.
struct JSONExtent: Sendable {
  /// How many bytes it has taken.
  private(set) var length = 0
  private var depth = 0
  /// The kind of each open bracket, the innermost in the lowest bit: 1 for an array.
  private var openArrays: UInt64 = 0
  private var isInString = false
  private var isEscaped = false
  /// The last byte outside of strings that isn't white space.
  private var previous: UInt8 = 0

  /// What a byte makes of the object.
  enum Progress: Equatable {
    case inside
    case complete
    case broken(String)
  }

  /// Takes the next byte, the first of which is the object's opening bracket.
  mutating func take(_ byte: UInt8) -> Progress {
    length += 1
    if isInString { return takeInString(byte) }
    defer { if byte > 0x20 { previous = byte } }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"): return open(isArray: false)
    case UInt8(ascii: "["): return open(isArray: true)
    case UInt8(ascii: "}"): return close(isArray: false)
    case UInt8(ascii: "]"): return close(isArray: true)
    default: break
    }
    return .inside
  }

  private mutating func takeInString(_ byte: UInt8) -> Progress {
    // JSON allows no line end in a string, so a missing quote is noticed on its line.
    guard byte >= 0x20 else { return .broken("a string in it has no closing quote on its line") }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    }
    return .inside
  }

  private mutating func open(isArray: Bool) -> Progress {
    let mayStandHere: Bool
    switch previous {
    case 0, UInt8(ascii: ":"): mayStandHere = true
    case UInt8(ascii: "["): mayStandHere = true
    case UInt8(ascii: ","): mayStandHere = openArrays & 1 == 1
    default: mayStandHere = false
    }
    guard mayStandHere else { return .broken("it is not closed before another bracket opens") }
    guard depth < JSONDocument.depthLimit else {
      return .broken("more than \(JSONDocument.depthLimit) arrays and objects are inside one another")
    }
    depth += 1
    openArrays = openArrays << 1 | (isArray ? 1 : 0)
    return .inside
  }

  private mutating func close(isArray: Bool) -> Progress {
    guard (openArrays & 1 == 1) == isArray else { return .broken("a bracket in it closes what another kind opened") }
    depth -= 1
    openArrays >>= 1
    return depth == 0 ? .complete : .inside
  }
}
