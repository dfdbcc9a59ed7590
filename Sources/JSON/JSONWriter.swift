extension JSONValue {
  /// The value as JSON without any white space.
  package var compact: String { written(isPretty: false) }

  /// The value as JSON over several lines, indented by two spaces.
  package var pretty: String { written(isPretty: true) }

  private func written(isPretty: Bool) -> String {
    var writer = JSONWriter(isPretty: isPretty)
    writer.write(self, level: 0)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Appends values to a text.
private struct JSONWriter {
  let isPretty: Bool
  var bytes: [UInt8] = []

  init(isPretty: Bool) { self.isPretty = isPretty }

  mutating func write(_ value: JSONValue, level: Int) {
    switch value.content {
    case .null: bytes += "null".utf8
    case .boolean(let isTrue): bytes += (isTrue ? "true" : "false").utf8
    case .integer(let integer): bytes += String(integer).utf8
    case .decimal(let text): bytes += text.utf8
    case .string(let text): write(text)
    case .array(let elements):
      list(elements, open: "[", close: "]", level: level) { writer, element in writer.write(element, level: level + 1) }
    case .object(let members):
      list(members, open: "{", close: "}", level: level) { writer, member in
        writer.write(member.key)
        writer.bytes += (writer.isPretty ? ": " : ":").utf8
        writer.write(member.value, level: level + 1)
      }
    }
  }

  private mutating func list<Item>(
    _ items: [Item], open: Unicode.Scalar, close: Unicode.Scalar, level: Int, writeItem: (inout JSONWriter, Item) -> Void
  ) {
    bytes.append(UInt8(ascii: open))
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      breakLine(level: level + 1)
      writeItem(&self, item)
    }
    if !items.isEmpty { breakLine(level: level) }
    bytes.append(UInt8(ascii: close))
  }

  private mutating func breakLine(level: Int) {
    guard isPretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: level * 2)
  }

  /// A string, with the escapes that JSON demands and no others.
  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += #"\""#.utf8
      case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
      case 0x0A: bytes += #"\n"#.utf8
      case 0x0D: bytes += #"\r"#.utf8
      case 0x09: bytes += #"\t"#.utf8
      case 0..<0x20: bytes += ((byte < 0x10 ? #"\u000"# : #"\u00"#) + String(byte, radix: 16)).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
