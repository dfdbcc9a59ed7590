import Platform

/// The checksum of every stored byte: CRC-32C (Castagnoli, RFC 3720 appendix B.4), eight bytes a step: by the processor's own
/// instruction, or by tables where it has none.
package enum CRC32C {
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// Table `k` at `256 k + b` holds the checksum of byte `b` with `k` zero bytes after it.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var remainder = UInt32(byte)
      for _ in 0..<8 { remainder = (remainder >> 1) ^ (remainder & 1 == 0 ? 0 : polynomial) }
      tables[byte] = remainder
    }
    for index in 256..<(8 * 256) {
      let shorter = tables[index - 256]
      tables[index] = (shorter >> 8) ^ tables[Int(shorter & 0xFF)]
    }
    return tables
  }()

  /// The checksum of some bytes.
  package static func checksum(_ bytes: RawSpan) -> UInt32 {
    ChecksumInstruction.isThere ? ~ChecksumInstruction.fold(bytes, into: 0xFFFF_FFFF) : checksumByTables(bytes)
  }

  /// The same without the instruction.
  static func checksumByTables(_ bytes: RawSpan) -> UInt32 {
    unsafe tables.withUnsafeBufferPointer { tables in
      var remainder: UInt32 = 0xFFFF_FFFF
      var offset = 0
      while offset + 8 <= bytes.byteCount {
        // Safe: the loop's guard leaves eight bytes, and each index below stays under 8 * 256.
        let word = unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
        unsafe remainder = step(UInt64(remainder) ^ word, tables)
        offset += 8
      }
      while offset < bytes.byteCount {
        let byte = UInt32(bytes.integer(at: offset, as: UInt8.self))
        unsafe remainder = (remainder >> 8) ^ tables[Int((remainder ^ byte) & 0xFF)]
        offset += 1
      }
      return ~remainder
    }
  }

  /// Folds eight bytes, the first in the lowest bits, into the next remainder.
  @inline(__always)
  private static func step(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
    @inline(__always) func look(_ table: Int, _ shift: UInt64) -> UInt32 {
      unsafe tables[(table << 8) | Int(truncatingIfNeeded: (word >> shift) & 0xFF)]
    }
    return look(7, 0) ^ look(6, 8) ^ look(5, 16) ^ look(4, 24) ^ look(3, 32) ^ look(2, 40) ^ look(1, 48) ^ look(0, 56)
  }
}
