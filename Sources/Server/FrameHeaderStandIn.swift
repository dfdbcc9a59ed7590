struct FrameType: Equatable { let rawValue: UInt8
  static let request = FrameType(rawValue: 1), response = FrameType(rawValue: 2), data = FrameType(rawValue: 3), goAway = FrameType(rawValue: 16), cancel = FrameType(rawValue: 17)
}
struct FrameHeader {
  static let byteCount = 10
  var byteCount: Int, streamID: UInt32, type: FrameType, flags: UInt8
  init?(in input: RawSpan, at offset: Int) {
    guard input.byteCount - offset >= 10 else { return nil }
    byteCount = Int(UInt32(bigEndian: unsafe input.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    streamID = UInt32(bigEndian: unsafe input.unsafeLoadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
    type = FrameType(rawValue: unsafe input.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt8.self))
    flags = unsafe input.unsafeLoadUnaligned(fromByteOffset: offset + 9, as: UInt8.self)
  }
  static func bytes(_ n: Int, _ streamID: UInt32, _ type: FrameType, _ flags: UInt8 = 0) -> [UInt8] {
    func be(_ v: UInt32) -> [UInt8] { [UInt8(v >> 24), UInt8(v >> 16 & 255), UInt8(v >> 8 & 255), UInt8(v & 255)] }
    return be(UInt32(n)) + be(streamID) + [type.rawValue, flags]
  }
}
