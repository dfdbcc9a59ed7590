/// What a frame carries: byte 8 of its header. Types from 16 up are Latchkey's control frames.
public enum FrameType: UInt8, Sendable {
  /// A request envelope, from the client.
  case request = 1
  /// A response envelope, from the server; ends its stream.
  case response = 2
  /// One message of a stream, from the server.
  case data = 3
  /// The server is draining, on stream 0; the data is the last stream id that it will answer.
  case goAway = 16
  /// The client no longer wants this stream.
  case cancel = 17
}

/// What a frame says about its stream: byte 9 of its header. Unknown bits are ignored.
@frozen
public struct FrameFlags: OptionSet, Sendable {
  public let rawValue: UInt8

  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The sender sends nothing more on this stream.
  @inlinable public static var remoteClosed: FrameFlags { FrameFlags(rawValue: 1) }
  /// The sender will send more on this stream; no method takes that from a client.
  @inlinable public static var remoteOpen: FrameFlags { FrameFlags(rawValue: 2) }
  /// The frame carries no message; an empty one is not meant.
  @inlinable public static var noData: FrameFlags { FrameFlags(rawValue: 4) }
}

/// The ten bytes before a frame's data. Section "Frame" of `PROTOCOL.md`.
@frozen
public struct FrameHeader: Equatable, Sendable {
  /// How many bytes a header has.
  public static let byteCount = 10

  /// How many bytes of data follow.
  public var dataLength: Int
  /// The stream: odd for those that clients open, 0 for the connection itself.
  public var streamID: UInt32
  public var type: FrameType
  public var flags: FrameFlags

  /// Makes a header.
  @inlinable
  public init(dataLength: Int, streamID: UInt32, type: FrameType, flags: FrameFlags = []) {
    self.dataLength = dataLength
    self.streamID = streamID
    self.type = type
    self.flags = flags
  }

  /// How many bytes the frame has, header and data.
  @inlinable
  public var frameLength: Int { Self.byteCount + dataLength }

  /// Looks for one whole frame at an offset, which is at most the span's count.
  ///
  /// A length over the limit and an unknown type are told as soon as the header is there, before any data.
  @inlinable
  public static func parse(
    _ bytes: RawSpan, at offset: Int = 0, maximumDataBytes: Int = Limits.frameBytes
  ) -> FrameParse {
    let available = bytes.byteCount - offset
    guard available >= byteCount else { return .needMore(frameLength: byteCount) }
    let (length, streamID) = (bigEndian(bytes, at: offset), bigEndian(bytes, at: offset + 4))
    guard length <= maximumDataBytes else { return .malformed(.dataTooLong(streamID: streamID, length: Int(length))) }
    let rawType = byte(bytes, at: offset + 8)
    guard let type = FrameType(rawValue: rawType) else {
      return .malformed(.unknownType(streamID: streamID, type: rawType))
    }
    let flags = FrameFlags(rawValue: byte(bytes, at: offset + 9))
    let header = FrameHeader(dataLength: Int(length), streamID: streamID, type: type, flags: flags)
    return available >= header.frameLength ? .complete(header) : .needMore(frameLength: header.frameLength)
  }

  /// Appends the ten bytes to others.
  public func append(to bytes: inout [UInt8]) {
    for shift in stride(from: 24, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: dataLength >> shift)) }
    for shift in stride(from: 24, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: streamID >> shift)) }
    bytes.append(type.rawValue)
    bytes.append(flags.rawValue)
  }

  // Loads of integers from a span trap outside of it, and any bytes are a value.
  @inlinable
  static func bigEndian(_ bytes: RawSpan, at offset: Int) -> UInt32 {
    unsafe UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inlinable
  static func byte(_ bytes: RawSpan, at offset: Int) -> UInt8 {
    unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}

/// What a look at received bytes finds.
@frozen
public enum FrameParse: Equatable, Sendable {
  /// A whole frame is there; its data stands behind the header.
  case complete(FrameHeader)
  /// The frame isn't whole yet. It has this many bytes, or only 10 are asked for where the header isn't there yet.
  case needMore(frameLength: Int)
  /// The bytes break the protocol; the connection answers with the violation's status and closes.
  case malformed(FrameViolation)
}
