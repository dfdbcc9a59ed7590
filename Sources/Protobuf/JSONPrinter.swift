/// The visitor that prints a message as one line of JSON for people and scripts.
///
/// Fields have their names of the schema, enumerations their names without prefix (a number where this build knows no name),
/// integers of 64 bits are numbers and bytes are lower-case hex. What stands for "none" is left out: an absent optional
/// field or message, an empty string, an enumeration at 0. Numbers, booleans and lists are always there.
public struct JSONPrinter: FieldVisitor {
  public typealias Failure = Never

  private var text = ""

  private init() {}

  /// Prints a message.
  public static func print(_ message: some Message) -> String {
    var printer = JSONPrinter()
    printer.append(message)
    return printer.text
  }

  private mutating func append(_ message: some Message) {
    text += "{"
    var copy = message
    copy.visit(&self)
    text += "}"
  }

  private mutating func append(name: StaticString) {
    if text.last != "{" { text += "," }
    text += "\"\(name)\":"
  }

  private mutating func append(_ name: StaticString, _ value: some CustomStringConvertible) {
    append(name: name)
    text += value.description
  }

  private mutating func append(_ name: StaticString, _ value: some OpenEnumeration) {
    append(name: name)
    if let known = value.name { append(quoted: known) } else { text += String(value.rawValue) }
  }

  private mutating func append(quoted value: String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case "\0"..<" ", "\u{7F}": text += "\\u00" + Self.hexadecimal(UInt8(scalar.value))
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  private mutating func append<Value>(
    _ name: StaticString, list values: [Value], each print: (inout Self, Value) -> Void
  ) {
    append(name: name)
    text += "["
    for (index, value) in values.enumerated() {
      if index > 0 { text += "," }
      print(&self, value)
    }
    text += "]"
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

extension JSONPrinter {
  public mutating func string(_ number: Int, _ name: StaticString, _ value: inout String) {
    guard !value.isEmpty else { return }
    append(name: name)
    append(quoted: value)
  }

  public mutating func bytes(_ number: Int, _ name: StaticString, _ value: inout [UInt8]) {
    guard !value.isEmpty else { return }
    append(name: name)
    append(quoted: value.map(Self.hexadecimal).joined())
  }

  public mutating func bool(_ number: Int, _ name: StaticString, _ value: inout Bool) { append(name, value) }
  public mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32) { append(name, value) }
  public mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64) { append(name, value) }
  public mutating func uint32(_ number: Int, _ name: StaticString, _ value: inout UInt32) { append(name, value) }
  public mutating func uint64(_ number: Int, _ name: StaticString, _ value: inout UInt64) { append(name, value) }

  public mutating func enumeration<Value: OpenEnumeration>(
    _ number: Int, _ name: StaticString, _ value: inout Value
  ) {
    if value.rawValue != 0 { append(name, value) }
  }

  public mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32?) {
    if let value { append(name, value) }
  }

  public mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64?) {
    if let value { append(name, value) }
  }

  public mutating func enumeration<Value: OpenEnumeration>(
    _ number: Int, _ name: StaticString, _ value: inout Value?
  ) {
    if let value { append(name, value) }
  }

  public mutating func message<Value: Message>(_ number: Int, _ name: StaticString, _ value: inout Value?) {
    guard let value else { return }
    append(name: name)
    append(value)
  }

  public mutating func strings(_ number: Int, _ name: StaticString, _ values: inout [String]) {
    append(name, list: values) { printer, value in printer.append(quoted: value) }
  }

  public mutating func messages<Value: Message>(_ number: Int, _ name: StaticString, _ values: inout [Value]) {
    append(name, list: values) { printer, value in printer.append(value) }
  }
}
