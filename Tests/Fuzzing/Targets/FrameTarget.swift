import LatchkeyWire

/// Reads frames one after the other: none may reach beyond the bytes, and each is written as it was read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  let input = unsafe UnsafeRawBufferPointer(start: start, count: count)
  let bytes = unsafe input.bytes
  var (offset, written) = (0, [UInt8]())
  while case .complete(let header) = FrameHeader.parse(bytes, at: offset) {
    precondition(offset + header.frameLength <= count, "a frame reaches beyond the bytes")
    written.removeAll(keepingCapacity: true)
    header.append(to: &written)
    precondition(
      unsafe written.elementsEqual(input[offset..<(offset + FrameHeader.byteCount)]), "a header is written differently")
    offset += header.frameLength
  }
  return 0
}
