// Names and ids of a check, compared by words where they stand.

extension UnsafeRawPointer {
  /// Whether so many bytes here and there are the same: by words, of which the last two may overlap.
  @inline(__always)
  func hasSameBytes(as other: UnsafeRawPointer, count: Int) -> Bool {
    guard count >= 8 else { return unsafe shortWord(count) == other.shortWord(count) }
    let last = count &- 8
    var difference = unsafe word(at: last) ^ other.word(at: last)
    var offset = 0
    while offset < last {
      difference |= unsafe word(at: offset) ^ other.word(at: offset)
      offset &+= 8
    }
    return difference == 0
  }

  /// Eight bytes from an offset on.
  @inline(__always)
  func word(at offset: Int) -> UInt64 { unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self) }

  /// Fewer than eight bytes as a word, which no other bytes of the same number have: loads that may overlap, none beyond them.
  @inline(__always)
  func shortWord(_ count: Int) -> UInt64 {
    if count >= 4 {
      let last = unsafe loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
      return unsafe UInt64(loadUnaligned(as: UInt32.self)) | UInt64(last) &<< 32
    }
    guard count > 0 else { return 0 }
    let (first, middle) = unsafe (byte(at: 0), byte(at: count &>> 1))
    return unsafe first | middle &<< 8 | byte(at: count &- 1) &<< 16
  }

  @inline(__always)
  private func byte(at offset: Int) -> UInt64 { unsafe UInt64(load(fromByteOffset: offset, as: UInt8.self)) }
}
