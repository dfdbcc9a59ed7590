/// Says why bytes are not a message of the protobuf encoding.
public enum MalformedMessage: Error, Equatable, Sendable {
  /// The bytes end inside a tag or a value.
  case truncated
  /// A varint runs over 10 bytes, or that of a tag or a length over 5 bytes or 32 bits.
  case varintTooLong
  /// A length points beyond the end of the message that holds it.
  case lengthBeyondEnd
  /// A field has the number 0.
  case fieldNumberZero
  /// A tag carries wire type 6 or 7.
  case unknownWireType
  /// A string field of this number is not UTF-8.
  case invalidUTF8(field: Int)
  /// A group ends that did not begin, or begins and doesn't end.
  case unmatchedGroup
  /// Messages or groups are nested more than ``DecodingLimits/nesting`` deep.
  case nestedTooDeeply
  /// The repeated fields hold more elements than the caller allows.
  case tooManyElements
}

/// The bounds that keep the memory and the stack that a message takes in proportion to its bytes.
public enum DecodingLimits {
  /// How deep messages and groups may be nested, the outermost message not counted; Google's runtimes have the same limit.
  public static let nesting = 100

  /// How many elements all repeated fields of a message may hold together, unless the caller says otherwise.
  ///
  /// An empty element takes two bytes on the wire and hundreds in memory.
  @inlinable public static var elements: Int { 65_536 }
}
