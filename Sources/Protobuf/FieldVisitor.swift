/// Something that goes through the fields of a message: it decodes, encodes or prints them.
///
/// The kinds are those of the proto file. An optional value has explicit presence: nil is absent, and 0 is a value. Every
/// other field is absent at its default and can't tell the two apart.
public protocol FieldVisitor {
  /// What can go wrong on the way; `Never` for visitors that only read.
  associatedtype Failure: Error

  /// Visits a text.
  mutating func string(_ number: Int, _ name: StaticString, _ value: inout String) throws(Failure)
  /// Visits bytes.
  mutating func bytes(_ number: Int, _ name: StaticString, _ value: inout [UInt8]) throws(Failure)
  /// Visits a truth value.
  mutating func bool(_ number: Int, _ name: StaticString, _ value: inout Bool) throws(Failure)
  /// Visits an integer of 32 bits; a negative one takes ten bytes.
  mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32) throws(Failure)
  /// Visits an integer of 64 bits; a negative one takes ten bytes.
  mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64) throws(Failure)
  /// Visits an unsigned integer of 32 bits.
  mutating func uint32(_ number: Int, _ name: StaticString, _ value: inout UInt32) throws(Failure)
  /// Visits an unsigned integer of 64 bits.
  mutating func uint64(_ number: Int, _ name: StaticString, _ value: inout UInt64) throws(Failure)
  /// Visits an enumeration.
  mutating func enumeration<Value: OpenEnumeration>(_ number: Int, _ name: StaticString, _ value: inout Value)
    throws(Failure)

  /// Visits an integer of 32 bits that may be absent.
  mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32?) throws(Failure)
  /// Visits an integer of 64 bits that may be absent.
  mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64?) throws(Failure)
  /// Visits an enumeration that may be absent.
  mutating func enumeration<Value: OpenEnumeration>(_ number: Int, _ name: StaticString, _ value: inout Value?)
    throws(Failure)
  /// Visits a nested message that may be absent.
  mutating func message<Value: Message>(_ number: Int, _ name: StaticString, _ value: inout Value?) throws(Failure)

  /// Visits a list of texts.
  mutating func strings(_ number: Int, _ name: StaticString, _ values: inout [String]) throws(Failure)
  /// Visits a list of messages.
  mutating func messages<Value: Message>(_ number: Int, _ name: StaticString, _ values: inout [Value])
    throws(Failure)
}
