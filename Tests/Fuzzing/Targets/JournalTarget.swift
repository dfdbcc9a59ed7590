@testable import Journaling

/// Reads frames as recovery does, after giving them right salts and checksums, so that what lies behind those is reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var bytes = unsafe input(start, count)
  var chain = FrameChain(salt: 0x1122_3344_5566_7788, checksum: 7, nextRevision: 1)
  repair(&bytes, after: chain)
  var (offset, sum) = (0, 0)
  while case .frame(let frame) = unsafe FrameReader.read(bytes.span.bytes, at: offset, after: chain) {
    precondition(frame.range.lowerBound == offset && frame.range.upperBound <= bytes.count, "a frame is out of its place")
    var records = 0
    unsafe FrameReader.forEachRecord(of: frame, in: bytes.span.bytes) { _, record in
      records += 1
      for index in record.byteOffsets { sum &+= Int(record.integer(at: index, as: UInt8.self)) }
    }
    precondition(records == frame.count, "a frame has another number of records than it says")
    precondition((frame.note != nil) == (frame.type == .digest), "a frame tells a digest that it doesn't have")
    chain = frame.chain
    offset = frame.range.upperBound
  }
  _ = unsafe FrameReader.search(bytes.span.bytes, from: offset, salt: chain.salt)
  return CInt(truncatingIfNeeded: sum & 0)
}

/// Gives each frame, as far as its length is possible, the chain's salt and its checksums.
private func repair(_ bytes: inout [UInt8], after chain: FrameChain) {
  var (offset, checksum) = (0, chain.checksum)
  while offset + FrameFormat.sealBytes <= bytes.count {
    let length = unsafe Int(bytes.span.bytes.integer(at: offset, as: UInt32.self))
    guard length >= FrameFormat.sealBytes, length <= bytes.count - offset else { return }
    var frame = Array(bytes[offset..<(offset + length - FrameFormat.checksumBytes)])
    frame.replaceSubrange(FrameFormat.saltOffset..<FrameFormat.countOffset, with: littleEndian(chain.salt))
    frame.replaceSubrange(FrameFormat.previousChecksumOffset..<FrameFormat.recordsOffset, with: littleEndian(checksum))
    checksum = frame.appendChecksum()
    bytes.replaceSubrange(offset..<(offset + length), with: frame)
    offset += length
  }
}

private func littleEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
  (0..<(Value.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> Value($0 * 8)) }
}
