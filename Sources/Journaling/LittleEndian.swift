// Integers in files are little-endian and stand at any offset.

extension RawSpan {
  /// The integer at `offset`; stops the process when it would reach over the end.
  func integer<Integer: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Integer.Type) -> Integer {
    // Safe: the load checks its bounds, and every bit pattern is an integer.
    Integer(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }

  /// True when every byte is zero.
  var isZero: Bool {
    var offset = 0
    while offset + 8 <= byteCount {
      if integer(at: offset, as: UInt64.self) != 0 { return false }
      offset += 8
    }
    while offset < byteCount {
      if integer(at: offset, as: UInt8.self) != 0 { return false }
      offset += 1
    }
    return true
  }
}

extension [UInt8] {
  /// Appends an integer.
  mutating func append<Integer: FixedWidthInteger & BitwiseCopyable>(integer: Integer) {
    unsafe Swift.withUnsafeBytes(of: integer.littleEndian) { bytes in unsafe append(contentsOf: bytes) }
  }

  /// Appends zeros up to a length.
  mutating func pad(to length: Int) {
    append(contentsOf: repeatElement(0, count: Swift.max(0, length - count)))
  }

  /// Appends the checksum of all the bytes so far, and returns it.
  @discardableResult
  mutating func appendChecksum() -> UInt32 {
    let checksum = CRC32C.checksum(unsafe span.bytes)
    append(integer: checksum)
    return checksum
  }
}
