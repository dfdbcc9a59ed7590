import Protobuf

/// The answer of a check as plain values, and its way into an output buffer without allocating.
///
/// The bytes are those of ``CheckAccessResponse`` with the same fields.
@frozen
public struct CheckAccessAnswer: Sendable {
  /// The most bytes that the frame of one answer without a status takes.
  public static let maximumFrameBytes = 64

  public var allowed: Bool
  public var reason: Reason
  /// When access ends if nothing else happens; nil where it never ends.
  public var validUntilMilliseconds: Int64?
  /// The ownership of the grant that answers, when allowed.
  public var ownership: Ownership
  public var revision: UInt64
  /// Inside a batch, why this one check failed; ``StatusCode/ok`` if it didn't.
  public var statusCode = StatusCode.ok
  /// Inside a batch, the failure in words.
  public var statusMessage: StaticString = ""

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

  /// Makes the answer of one check of a batch that failed.
  public init(failed code: StatusCode, _ message: StaticString, revision: UInt64) {
    self.init(allowed: false, reason: Reason(), revision: revision)
    statusCode = code
    statusMessage = message
  }

  /// Writes the frame that answers one check; gives false, and writes nothing, where the buffer hasn't room for it.
  public func writeFrame(streamID: UInt32, to output: inout OutputRawSpan) -> Bool {
    let payload = encodedByteCount
    let data = payload == 0 ? 0 : 1 + varintByteCount(UInt64(payload)) + payload
    guard output.freeCapacity >= FrameHeader.byteCount + data else { return false }
    output.appendResponseHeader(streamID: streamID, dataLength: data)
    if payload > 0 {
      output.append(FieldTag(2, .lengthDelimited), length: payload)
      append(to: &output)
    }
    return true
  }

  /// Writes the frame that answers a batch; gives false, and writes nothing, where the buffer hasn't room for it.
  public static func writeBatchFrame(
    _ answers: Span<CheckAccessAnswer>, streamID: UInt32, to output: inout OutputRawSpan
  ) -> Bool {
    let data = batchDataLength(answers)
    guard output.freeCapacity >= FrameHeader.byteCount + data.envelope else { return false }
    output.appendResponseHeader(streamID: streamID, dataLength: data.envelope)
    guard data.payload > 0 else { return true }
    output.append(FieldTag(2, .lengthDelimited), length: data.payload)
    for index in answers.indices {
      output.append(FieldTag(1, .lengthDelimited), length: answers[index].encodedByteCount)
      answers[index].append(to: &output)
    }
    return true
  }

  /// How many bytes the frame of a batch takes.
  public static func batchFrameByteCount(_ answers: Span<CheckAccessAnswer>) -> Int {
    FrameHeader.byteCount + batchDataLength(answers).envelope
  }

  private static func batchDataLength(_ answers: Span<CheckAccessAnswer>) -> (payload: Int, envelope: Int) {
    var payload = 0
    for index in answers.indices {
      let count = answers[index].encodedByteCount
      payload += 1 + varintByteCount(UInt64(count)) + count
    }
    return (payload, payload == 0 ? 0 : 1 + varintByteCount(UInt64(payload)) + payload)
  }
}

extension CheckAccessAnswer {
  /// How many bytes the answer itself takes, without envelope and frame.
  private var encodedByteCount: Int {
    var count = allowed ? 2 : 0
    count += fieldByteCount(signed: reason.rawValue)
    if let validUntilMilliseconds { count += 1 + varintByteCount(UInt64(bitPattern: validUntilMilliseconds)) }
    count += fieldByteCount(signed: ownership.rawValue)
    count += revision == 0 ? 0 : 1 + varintByteCount(revision)
    count += fieldByteCount(signed: statusCode.rawValue)
    let message = statusMessage.utf8CodeUnitCount
    return count + (message == 0 ? 0 : 1 + varintByteCount(UInt64(message)) + message)
  }

  /// Writes the fields in the order of their numbers; those at their default are left out.
  private func append(to output: inout OutputRawSpan) {
    if allowed { output.append(FieldTag(1, .varint), 1) }
    output.append(FieldTag(2, .varint), signed: reason.rawValue)
    if let validUntilMilliseconds { output.append(FieldTag(3, .varint), UInt64(bitPattern: validUntilMilliseconds)) }
    output.append(FieldTag(4, .varint), signed: ownership.rawValue)
    if revision != 0 { output.append(FieldTag(5, .varint), revision) }
    output.append(FieldTag(6, .varint), signed: statusCode.rawValue)
    guard statusMessage.utf8CodeUnitCount > 0 else { return }
    output.append(FieldTag(7, .lengthDelimited), length: statusMessage.utf8CodeUnitCount)
    // The buffer of a static string lives as long as the program.
    statusMessage.withUTF8Buffer { bytes in
      for index in 0..<bytes.count { output.append(unsafe bytes[index]) }
    }
  }
}

/// How many bytes an integer takes as a varint.
private func varintByteCount(_ value: UInt64) -> Int {
  (70 - (value | 1).leadingZeroBitCount) / 7
}

/// How many bytes a field with a number under 16 takes; none at 0.
private func fieldByteCount(signed value: Int32) -> Int {
  value == 0 ? 0 : 1 + varintByteCount(UInt64(bitPattern: Int64(value)))
}

extension OutputRawSpan {
  fileprivate mutating func appendResponseHeader(streamID: UInt32, dataLength: Int) {
    // Integers have no padding that could be left uninitialised; the span checks that they fit.
    unsafe append(UInt32(dataLength).bigEndian, as: UInt32.self)
    unsafe append(streamID.bigEndian, as: UInt32.self)
    append(FrameType.response.rawValue)
    append(0)
  }

  fileprivate mutating func append(varint: UInt64) {
    var rest = varint
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends a field whose number is under 16.
  fileprivate mutating func append(_ tag: FieldTag, _ value: UInt64) {
    append(UInt8(tag.rawValue))
    append(varint: value)
  }

  fileprivate mutating func append(_ tag: FieldTag, signed value: Int32) {
    if value != 0 { append(tag, UInt64(bitPattern: Int64(value))) }
  }

  fileprivate mutating func append(_ tag: FieldTag, length: Int) {
    append(tag, UInt64(length))
  }
}
