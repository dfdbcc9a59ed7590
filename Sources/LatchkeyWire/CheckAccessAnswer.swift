import Protobuf

/// The answer of a check as plain values, and its way into an output buffer without allocating.
///
/// The bytes are those of ``CheckAccessResponse`` with the same fields.
@frozen
public struct CheckAccessAnswer: Sendable {
  /// The most bytes that the frame of one answer takes.
  public static let maximumFrameBytes = 64
  /// The most bytes that an answer takes inside a batch.
  public static let maximumElementBytes = 48

  public var allowed: Bool
  public var reason: Reason
  /// When access ends if nothing else happens; nil where it never ends.
  public var validUntilMilliseconds: Int64?
  /// The ownership of the grant that answers, when allowed.
  public var ownership: Ownership
  public var revision: UInt64

  /// Makes an answer.
  @inlinable
  public init(
    allowed: Bool, reason: Reason, validUntilMilliseconds: Int64? = nil, ownership: Ownership = Ownership(),
    revision: UInt64
  ) {
    self.allowed = allowed
    self.reason = reason
    self.validUntilMilliseconds = validUntilMilliseconds
    self.ownership = ownership
    self.revision = revision
  }

  /// Writes the frame that answers one check; gives false, and writes nothing, where the buffer hasn't room for the longest.
  @inlinable
  public func writeFrame(streamID: UInt32, to output: inout OutputRawSpan) -> Bool {
    guard output.freeCapacity >= Self.maximumFrameBytes else { return false }
    unsafe output.appendRaw { bytes in
      let lengths = FrameHeader.byteCount
      // An answer is shorter than 128 bytes, so that its length takes one; an empty one is left out, with its length.
      var end = unsafe write(to: bytes, at: lengths + 2)
      let payload = end - lengths - 2
      if payload > 0 {
        unsafe bytes.storeBytes(of: FieldTag(2, .lengthDelimited).byte, toByteOffset: lengths, as: UInt8.self)
        unsafe bytes.storeBytes(of: UInt8(payload), toByteOffset: lengths + 1, as: UInt8.self)
      } else {
        end = lengths
      }
      unsafe FrameHeader.storeResponse(streamID: streamID, dataLength: end - lengths, to: bytes)
      return end
    }
    return true
  }

  /// Writes the answer as one of a batch; gives false, and writes nothing, where the buffer hasn't room for the longest.
  @inlinable
  public func writeElement(to output: inout OutputRawSpan) -> Bool {
    guard output.freeCapacity >= Self.maximumElementBytes else { return false }
    unsafe output.appendRaw { bytes in
      let end = unsafe write(to: bytes, at: 2)
      unsafe bytes.storeBytes(of: FieldTag(1, .lengthDelimited).byte, toByteOffset: 0, as: UInt8.self)
      unsafe bytes.storeBytes(of: UInt8(end - 2), toByteOffset: 1, as: UInt8.self)
      return end
    }
    return true
  }

  /// Writes the fields in the order of their numbers, at most 46 bytes; those at their default are left out. Gives the end.
  @inlinable
  func write(to bytes: UnsafeMutableRawPointer, at start: Int) -> Int {
    var end = start
    if allowed { unsafe bytes.store(FieldTag(1, .varint), 1, at: &end) }
    if reason.rawValue != 0 { unsafe bytes.store(FieldTag(2, .varint), UInt64(bitPattern: Int64(reason.rawValue)), at: &end) }
    if let validUntilMilliseconds {
      unsafe bytes.store(FieldTag(3, .varint), UInt64(bitPattern: validUntilMilliseconds), at: &end)
    }
    if ownership.rawValue != 0 {
      unsafe bytes.store(FieldTag(4, .varint), UInt64(bitPattern: Int64(ownership.rawValue)), at: &end)
    }
    if revision != 0 { unsafe bytes.store(FieldTag(5, .varint), revision, at: &end) }
    return end
  }
}

/// The frame around the answers of a batch.
public enum CheckAccessBatchFrame {
  /// The most bytes that stand before the answers.
  public static let maximumHeadBytes = FrameHeader.byteCount + 6

  /// Writes what stands before the answers; gives false, and writes nothing, where the buffer hasn't room for the longest.
  ///
  /// - Parameter elementBytes: how many bytes the answers take, each as ``CheckAccessAnswer/writeElement(to:)`` writes it; at most
  ///   ``Limits/frameBytes``.
  public static func writeHead(streamID: UInt32, elementBytes: Int, to output: inout OutputRawSpan) -> Bool {
    guard output.freeCapacity >= maximumHeadBytes else { return false }
    unsafe output.appendRaw { bytes in
      var end = FrameHeader.byteCount
      if elementBytes > 0 { unsafe bytes.store(FieldTag(2, .lengthDelimited), UInt64(elementBytes), at: &end) }
      unsafe FrameHeader.storeResponse(streamID: streamID, dataLength: end - FrameHeader.byteCount + elementBytes, to: bytes)
      return end
    }
    return true
  }
}

// What follows stores without looking where it ends: each caller has made sure of the most that it can take.

extension FrameHeader {
  /// Stores the header of the frame that ends a stream.
  @inlinable
  static func storeResponse(streamID: UInt32, dataLength: Int, to bytes: UnsafeMutableRawPointer) {
    unsafe bytes.storeBytes(of: UInt32(dataLength).bigEndian, as: UInt32.self)
    unsafe bytes.storeBytes(of: streamID.bigEndian, toByteOffset: 4, as: UInt32.self)
    unsafe bytes.storeBytes(of: FrameType.response.rawValue, toByteOffset: 8, as: UInt8.self)
    unsafe bytes.storeBytes(of: 0, toByteOffset: 9, as: UInt8.self)
  }
}

extension FieldTag {
  /// The one byte that a tag takes whose number is under 16.
  @inlinable
  var byte: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
}

extension UnsafeMutableRawPointer {
  /// Stores a field whose number is under 16, at most 11 bytes, and moves the end behind it.
  @inlinable
  func store(_ tag: FieldTag, _ value: UInt64, at end: inout Int) {
    unsafe storeBytes(of: tag.byte, toByteOffset: end, as: UInt8.self)
    end += 1
    var rest = value
    while rest >= 0x80 {
      unsafe storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: end, as: UInt8.self)
      end += 1
      rest >>= 7
    }
    unsafe storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: end, as: UInt8.self)
    end += 1
  }
}

extension OutputRawSpan {
  /// Has the body write behind what is there, and takes in as many bytes as it says.
  @inlinable
  mutating func appendRaw(_ body: (UnsafeMutableRawPointer) -> Int) {
    unsafe withUnsafeMutableBytes { buffer, initializedCount in
      guard let base = buffer.baseAddress else { return }
      initializedCount += unsafe body(base + initializedCount)
    }
  }
}
