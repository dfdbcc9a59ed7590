@testable import Journaling

/// Reads frames as recovery does, after giving them right salts and checksums, so that what lies behind those is reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  var bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  var chain = FrameChain(salt: 0x1122_3344_5566_7788, checksum: 7, nextRevision: 1)
  repair(&bytes, after: chain)
  var offset = 0
  while case .frame(let frame) = unsafe FrameReader.read(bytes.span.bytes, at: offset, after: chain) {
    precondition(frame.range.lowerBound == offset && frame.range.upperBound <= count, "a frame is out of its place")
    precondition((frame.note != nil) == (frame.type == .digest), "a frame tells a digest that it doesn't have")
    var (records, end) = (0, 0)
    unsafe FrameReader.forEachRecord(of: frame, in: bytes.span.bytes) { _, record in
      records += 1
      end += record.byteCount
    }
    precondition(records == frame.count && end < frame.range.count, "a frame has other records than it says")
    chain = frame.chain
    offset = frame.range.upperBound
  }
  _ = unsafe FrameReader.search(bytes.span.bytes, from: offset, salt: chain.salt)
  return 0
}

/// Gives each frame, as far as its length is possible, the chain's salt and its checksums.
private func repair(_ bytes: inout [UInt8], after chain: FrameChain) {
  var (offset, checksum) = (0, chain.checksum)
  while offset + FrameFormat.sealBytes <= bytes.count {
    let length = unsafe Int(bytes.span.bytes.integer(at: offset, as: UInt32.self))
    guard length >= FrameFormat.sealBytes, length <= bytes.count - offset else { return }
    let end = offset + length - FrameFormat.checksumBytes
    store(chain.salt, in: &bytes, at: offset + FrameFormat.saltOffset)
    store(checksum, in: &bytes, at: offset + FrameFormat.previousChecksumOffset)
    checksum = unsafe CRC32C.checksum(bytes.span.bytes.extracting(offset..<end))
    store(checksum, in: &bytes, at: end)
    offset += length
  }
}
