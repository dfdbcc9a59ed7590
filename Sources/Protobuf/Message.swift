/// A value that the protobuf encoding carries, described once by the visit of its fields.
///
/// A type lists each field in one line with its number and name, in ascending order of the numbers. Decoding, encoding and
/// printing are visitors of that list:
///
///     public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
///       try visitor.string(1, "customer_id", &customerID)
///       try visitor.uint64(2, "revision", &revision)
///     }
public protocol Message: Equatable, Sendable {
  /// Makes the message whose fields are all absent.
  init()

  /// Shows every field to the visitor, which may read or change it.
  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure)

  /// Shows every field to the encoder, which changes none: in place, since copies of lists of messages cost more than their bytes.
  ///
  /// All messages do it alike. It is a requirement so that each has code made for its own fields, where generic code would look up
  /// the types of all of them at run time.
  mutating func encode(into encoder: inout MessageEncoder)
}

extension Message {
  @inlinable
  public mutating func encode(into encoder: inout MessageEncoder) { visit(&encoder) }

  /// Decodes a message that fills the bytes exactly.
  ///
  /// Fields that the type doesn't list, and fields whose wire type isn't that of the list, are skipped, as protobuf's own
  /// runtimes do. The last value of a singular field counts; singular messages are merged.
  ///
  /// - Parameter elementLimit: how many elements all repeated fields may hold together.
  @inlinable
  public init(decoding bytes: [UInt8], elementLimit: Int = DecodingLimits.elements) throws(MalformedMessage) {
    self.init()
    var decoder = MessageDecoder(bytes, elementLimit: elementLimit)
    try decoder.decode(into: &self)
  }

  /// Decodes a message that fills the span exactly, after copying the bytes.
  @inlinable
  public init(decoding bytes: RawSpan, elementLimit: Int = DecodingLimits.elements) throws(MalformedMessage) {
    let copy = unsafe bytes.withUnsafeBytes { source in unsafe [UInt8](source) }
    try self.init(decoding: copy, elementLimit: elementLimit)
  }

  /// Gives the message's bytes; fields at their default are left out.
  @inlinable
  public consuming func encoded() -> [UInt8] {
    var encoder = MessageEncoder(roomFor: 128)
    encode(into: &encoder)
    return encoder.bytes
  }

  /// Appends the message's bytes to others.
  @inlinable
  public consuming func appendEncoded(to bytes: inout [UInt8]) {
    MessageEncoder.append(to: &bytes) { encoder in encode(into: &encoder) }
  }

  /// Makes a message and lets the caller fill it: `CheckAccessRequest.with { $0.customerID = "alice" }`.
  @inlinable
  public static func with(_ fill: (inout Self) -> Void) -> Self {
    var message = Self()
    fill(&message)
    return message
  }
}
