import Foundation
import Protobuf

/// A value as the vectors and the Python peer write it: of a message only the fields that are present, enumerations as
/// numbers, bytes as hex.
indirect enum PlainValue: Equatable, Decodable {
  case boolean(Bool)
  case integer(Int128)
  case text(String)
  case list([PlainValue])
  case fields([String: PlainValue])

  init(from decoder: any Swift.Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(Int128(value))
    } else if let value = try? container.decode(UInt64.self) {
      self = .integer(Int128(value))
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([PlainValue].self) {
      self = .list(value)
    } else {
      self = .fields(try container.decode([String: PlainValue].self))
    }
  }

  /// The present fields of a message.
  init(_ message: some Message) {
    var collector = FieldCollector()
    var copy = message
    copy.visit(&collector)
    self = .fields(collector.fields)
  }
}

/// The visitor that collects the present fields of a message.
private struct FieldCollector: FieldVisitor {
  typealias Failure = Never

  var fields: [String: PlainValue] = [:]

  private mutating func set(_ name: StaticString, _ value: PlainValue, unless isAbsent: Bool) {
    if !isAbsent { fields["\(name)"] = value }
  }

  mutating func string(_ number: Int, _ name: StaticString, _ value: inout String) {
    set(name, .text(value), unless: value.isEmpty)
  }

  mutating func bytes(_ number: Int, _ name: StaticString, _ value: inout [UInt8]) {
    set(name, .text(hexadecimal(value)), unless: value.isEmpty)
  }

  mutating func bool(_ number: Int, _ name: StaticString, _ value: inout Bool) {
    set(name, .boolean(value), unless: !value)
  }

  mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32) {
    set(name, .integer(Int128(value)), unless: value == 0)
  }

  mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64) {
    set(name, .integer(Int128(value)), unless: value == 0)
  }

  mutating func uint32(_ number: Int, _ name: StaticString, _ value: inout UInt32) {
    set(name, .integer(Int128(value)), unless: value == 0)
  }

  mutating func uint64(_ number: Int, _ name: StaticString, _ value: inout UInt64) {
    set(name, .integer(Int128(value)), unless: value == 0)
  }

  mutating func enumeration<Value: OpenEnumeration>(_ number: Int, _ name: StaticString, _ value: inout Value) {
    set(name, .integer(Int128(value.rawValue)), unless: value.rawValue == 0)
  }

  mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32?) {
    if let value { set(name, .integer(Int128(value)), unless: false) }
  }

  mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64?) {
    if let value { set(name, .integer(Int128(value)), unless: false) }
  }

  mutating func enumeration<Value: OpenEnumeration>(_ number: Int, _ name: StaticString, _ value: inout Value?) {
    if let value { set(name, .integer(Int128(value.rawValue)), unless: false) }
  }

  mutating func message<Value: Message>(_ number: Int, _ name: StaticString, _ value: inout Value?) {
    if let value { set(name, PlainValue(value), unless: false) }
  }

  mutating func strings(_ number: Int, _ name: StaticString, _ values: inout [String]) {
    set(name, .list(values.map(PlainValue.text)), unless: values.isEmpty)
  }

  mutating func messages<Value: Message>(_ number: Int, _ name: StaticString, _ values: inout [Value]) {
    set(name, .list(values.map { PlainValue($0) }), unless: values.isEmpty)
  }
}

/// Writes bytes as lower-case hex.
func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Reads bytes from lower-case hex.
func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = Array(hexadecimal.utf8).map { $0 < UInt8(ascii: "a") ? $0 - UInt8(ascii: "0") : $0 - UInt8(ascii: "a") + 10 }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
