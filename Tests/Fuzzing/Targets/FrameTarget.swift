import LatchkeyWire

/// Reads frames one after the other: none may reach beyond the bytes, and each is written as it was read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe input(start, count)
  var offset = 0
  while case .complete(let header) = unsafe FrameHeader.parse(bytes.span.bytes, at: offset) {
    precondition(offset + header.frameLength <= bytes.count, "a frame reaches beyond the bytes")
    var written: [UInt8] = []
    header.append(to: &written)
    precondition(Array(bytes[offset..<(offset + FrameHeader.byteCount)]) == written, "a header is written differently")
    offset += header.frameLength
  }
  return 0
}
