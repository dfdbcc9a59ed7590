import Protobuf

/// A request's data, read in place: where its fields stand in the bytes, without copying or allocating.
///
/// It accepts and refuses the same bytes as ``Request``. Every range is relative to the span that was parsed, and empty for
/// an absent field.
@frozen
public struct RequestEnvelope: Equatable, Sendable {
  public var service = 0..<0
  public var method = 0..<0
  public var payload = 0..<0
  /// How long the client waits, from now; 0 or less sets no deadline.
  public var timeoutNanoseconds: Int64 = 0
  /// The method's number; 0 where the two names stand instead.
  public var methodNumber: UInt32 = 0
  /// The value of the first metadata pair whose key is `authorization`; nil if there is none.
  public var authorization: Range<Int>?

  /// Reads the envelope that fills the span.
  @inlinable
  public init(parsing bytes: RawSpan) throws(MalformedMessage) {
    var cursor = ByteCursor()
    var pairs = 0
    while let tag = try cursor.readTag(in: bytes) {
      switch tag {
      case FieldTag(1, .lengthDelimited): service = try cursor.readText(1, in: bytes)
      case FieldTag(2, .lengthDelimited): method = try cursor.readText(2, in: bytes)
      case FieldTag(3, .lengthDelimited): payload = try cursor.readLengthDelimited(in: bytes)
      case FieldTag(4, .varint): timeoutNanoseconds = Int64(bitPattern: try cursor.readVarint(in: bytes))
      case FieldTag(15, .varint): methodNumber = UInt32(truncatingIfNeeded: try cursor.readVarint(in: bytes))
      case FieldTag(5, .lengthDelimited):
        pairs += 1
        guard pairs <= Limits.elementsInMessage else { throw .tooManyElements }
        try readPair(cursor.readLengthDelimited(in: bytes), in: bytes)
      default: try cursor.skip(tag, in: bytes)
      }
    }
  }

  /// Finds the method that is called: by its number, or else by its names; nil if there is no such method.
  @inlinable
  public func calledMethod(in bytes: RawSpan) -> Method? {
    methodNumber != 0 ? Method(number: methodNumber) : calledMethodByName(in: bytes)
  }

  @usableFromInline
  func calledMethodByName(in bytes: RawSpan) -> Method? {
    Method.allCases.first { candidate in
      bytes.extracting(method).equals(candidate.name) && bytes.extracting(service).equals(candidate.service)
    }
  }

  @usableFromInline
  mutating func readPair(_ range: Range<Int>, in bytes: RawSpan) throws(MalformedMessage) {
    let pair = bytes.extracting(range)
    var (cursor, key, value) = (ByteCursor(), 0..<0, 0..<0)
    while let tag = try cursor.readTag(in: pair) {
      switch tag {
      case FieldTag(1, .lengthDelimited): key = try cursor.readText(1, in: pair)
      case FieldTag(2, .lengthDelimited): value = try cursor.readText(2, in: pair)
      default: try cursor.skip(tag, in: pair, depth: 1)
      }
    }
    if authorization == nil, pair.extracting(key).equals("authorization") {
      authorization = range.lowerBound + value.lowerBound..<range.lowerBound + value.upperBound
    }
  }
}

extension RawSpan {
  /// Says whether the bytes are those of a text.
  func equals(_ text: String) -> Bool {
    guard byteCount == text.utf8.count else { return false }
    var text = text
    return unsafe withUnsafeBytes { bytes in
      text.withUTF8 { other in unsafe bytes.elementsEqual(other) }
    }
  }
}
