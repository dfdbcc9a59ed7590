/// How the value behind a tag is laid out.
public enum WireType: UInt32, Sendable {
  case varint = 0
  case fixed64 = 1
  case lengthDelimited = 2
  case groupStart = 3
  case groupEnd = 4
  case fixed32 = 5
}

/// The number and the wire type of a field, as they stand before its value.
@frozen
public struct FieldTag: Equatable, Sendable {
  /// The number shifted left by three, or'ed with the wire type.
  public let rawValue: UInt32

  /// Joins a field number of the schema, 1 up to 2²⁹ − 1, with a wire type.
  @inlinable
  public init(_ number: Int, _ type: WireType) {
    rawValue = UInt32(truncatingIfNeeded: number) << 3 | type.rawValue
  }

  /// Reads a tag as it came; throws for number 0 and for the wire types that don't exist.
  @inlinable
  public init(rawValue: UInt32) throws(MalformedMessage) {
    guard rawValue >= 8 else { throw .fieldNumberZero }
    guard rawValue & 7 <= 5 else { throw .unknownWireType }
    self.rawValue = rawValue
  }

  /// The field's number.
  @inlinable
  public var number: Int { Int(rawValue >> 3) }
}
