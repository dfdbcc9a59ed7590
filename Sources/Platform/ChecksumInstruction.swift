import CLinux

/// The processor's own instruction for CRC-32C, which most have.
package enum ChecksumInstruction {
  /// Whether this processor has it.
  package static let isThere = latchkey_has_crc32c()

  /// Folds bytes into the remainder of those before them.
  ///
  /// - Precondition: the instruction is there.
  package static func fold(_ bytes: RawSpan, into remainder: UInt32) -> UInt32 {
    precondition(isThere, "the processor has the instruction")
    return unsafe bytes.withUnsafeBytes { unsafe latchkey_crc32c(remainder, $0.baseAddress, $0.count) }
  }
}
