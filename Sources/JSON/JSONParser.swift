/// Reads one JSON text from front to back. It calls itself once for each level of nesting, of which there are at most 64.
struct JSONParser {
  let source: JSONSource
  var position = 0

  init(source: JSONSource) { self.source = source }

  /// The next byte, zero at the end: a byte that JSON allows nowhere.
  var next: UInt8 { position < source.bytes.count ? source.bytes[position] : 0 }

  /// The outermost value, to the end of the text.
  mutating func document() throws(JSONError) -> JSONValue {
    let value = try value(depth: 0)
    skipSpace()
    guard position == source.bytes.count else { throw unexpected("the end of the document") }
    return value
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    skipSpace()
    let start = position
    switch next {
    case UInt8(ascii: "{"): return JSONValue(.object(try members(depth: depth + 1)), offset: start)
    case UInt8(ascii: "["): return JSONValue(.array(try elements(depth: depth + 1)), offset: start)
    case UInt8(ascii: "\""): return JSONValue(.string(try string()), offset: start)
    case UInt8(ascii: "t") where take("true"): return JSONValue(.boolean(true), offset: start)
    case UInt8(ascii: "f") where take("false"): return JSONValue(.boolean(false), offset: start)
    case UInt8(ascii: "n") where take("null"): return JSONValue(.null, offset: start)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return JSONValue(try number(), offset: start)
    default: throw unexpected("a value")
    }
  }

  private mutating func elements(depth: Int) throws(JSONError) -> [JSONValue] {
    try open(depth: depth)
    var elements: [JSONValue] = []
    if take("]") { return elements }
    while true {
      elements.append(try value(depth: depth))
      skipSpace()
      if take("]") { return elements }
      guard take(",") else { throw unexpected("a comma or the end of the array") }
    }
  }

  private mutating func members(depth: Int) throws(JSONError) -> [JSONValue.Member] {
    try open(depth: depth)
    var members: [JSONValue.Member] = []
    if take("}") { return members }
    while true {
      skipSpace()
      let start = position
      guard next == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
      let key = try string()
      skipSpace()
      guard take(":") else { throw unexpected("a colon after the key") }
      members.append(JSONValue.Member(key: key, value: try value(depth: depth), offset: start))
      skipSpace()
      if take("}") { break }
      guard take(",") else { throw unexpected("a comma or the end of the object") }
    }
    try refuseDuplicates(among: members)
    return members
  }

  /// Steps over an opening bracket and the space behind it.
  private mutating func open(depth: Int) throws(JSONError) {
    guard depth <= JSONDocument.depthLimit else {
      throw source.error("more than \(JSONDocument.depthLimit) arrays and objects are inside one another", at: position)
    }
    position += 1
    skipSpace()
  }

  /// Refuses an object that has a key twice, since readers differ on which of the two counts.
  private func refuseDuplicates(among members: [JSONValue.Member]) throws(JSONError) {
    var seen: Set<Key> = []
    for member in members where !seen.insert(Key(text: member.key)).inserted {
      throw source.error("the key \(JSONReader.quoted(member.key)) stands twice in one object", at: member.offset)
    }
  }

  /// A key compared byte by byte, where `String` compares by canonical equivalence.
  private struct Key: Hashable {
    let text: String
    static func == (one: Key, other: Key) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }
  }

  /// Steps over spaces, tabs and line ends.
  private mutating func skipSpace() {
    while next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
  }

  /// Steps over a word if it stands here.
  mutating func take(_ word: String) -> Bool {
    let isHere = source.bytes[position...].starts(with: word.utf8)
    if isHere { position += word.utf8.count }
    return isHere
  }

  /// An error that says what stands here instead of what was expected.
  func unexpected(_ expected: String) -> JSONError {
    let found: String
    if position >= source.bytes.count {
      found = "the end"
    } else if (0x21...0x7E).contains(next) {
      found = "`\(Character(Unicode.Scalar(next)))`"
    } else {
      found = "the byte 0x" + (next < 16 ? "0" : "") + String(next, radix: 16, uppercase: true)
    }
    return source.error("expected \(expected), found \(found)", at: position)
  }
}
