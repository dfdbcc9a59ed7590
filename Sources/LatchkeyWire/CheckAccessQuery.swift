import Protobuf

/// A check, read in place: where its two names stand in the bytes, without copying or allocating.
///
/// It accepts and refuses the same bytes as ``CheckAccessRequest``. That a name is absent or over ``Limits/idBytes`` is for
/// the service to refuse.
@frozen
public struct CheckAccessQuery: Equatable, Sendable {
  /// Where the customer's id stands, relative to the span that was parsed; empty if absent.
  public var customerID = 0..<0
  /// Where the entitlement's name stands, relative to the span that was parsed; empty if absent.
  public var entitlement = 0..<0
  /// The moment asked about; 0: now.
  public var atTimeMilliseconds: Int64 = 0
  /// The revision that the state must include before the answer.
  public var minRevision: UInt64 = 0

  /// Reads the request that fills the span.
  ///
  /// - Parameter depth: how many messages surround the request.
  @inlinable
  public init(parsing bytes: RawSpan, depth: Int = 0) throws(MalformedMessage) {
    var cursor = ByteCursor()
    while let tag = try cursor.readTag(in: bytes) {
      switch tag {
      case FieldTag(1, .lengthDelimited): customerID = try cursor.readText(1, in: bytes)
      case FieldTag(2, .lengthDelimited): entitlement = try cursor.readText(2, in: bytes)
      case FieldTag(3, .varint): atTimeMilliseconds = Int64(bitPattern: try cursor.readVarint(in: bytes))
      case FieldTag(4, .varint): minRevision = try cursor.readVarint(in: bytes)
      default: try cursor.skip(tag, in: bytes, depth: depth)
      }
    }
  }
}

/// The checks of a batch, read in place one after the other.
@frozen
public struct CheckAccessBatchCursor: Sendable {
  @usableFromInline var cursor = ByteCursor()
  @usableFromInline var checks = 0

  /// Makes a cursor that stands before the first check.
  @inlinable
  public init() {}

  /// Reads the next check, its ranges relative to the span; nil after the last.
  ///
  /// It accepts and refuses the same bytes as ``CheckAccessBatchRequest``, each error at the check that has it. That a batch
  /// holds more than ``Limits/checksInBatch`` is for the service to refuse.
  @inlinable
  public mutating func next(in bytes: RawSpan) throws(MalformedMessage) -> CheckAccessQuery? {
    while let tag = try cursor.readTag(in: bytes) {
      guard tag == FieldTag(1, .lengthDelimited) else {
        try cursor.skip(tag, in: bytes)
        continue
      }
      guard checks < Limits.elementsInMessage else { throw .tooManyElements }
      checks += 1
      let range = try cursor.readLengthDelimited(in: bytes)
      var query = try CheckAccessQuery(parsing: bytes.extracting(range), depth: 1)
      query.customerID = range.lowerBound + query.customerID.lowerBound..<range.lowerBound + query.customerID.upperBound
      query.entitlement =
        range.lowerBound + query.entitlement.lowerBound..<range.lowerBound + query.entitlement.upperBound
      return query
    }
    return nil
  }
}
