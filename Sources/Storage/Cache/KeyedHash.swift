/// SipHash-1-3 with a random key: a hash of ids that outsiders choose, who so can't make them collide.
@frozen
package struct KeyedHash: Sendable {
  private let key0: UInt64
  private let key1: UInt64

  package init(key0: UInt64, key1: UInt64) {
    self.key0 = key0
    self.key1 = key1
  }

  /// A hash under a key that nobody knows.
  package static func random() -> KeyedHash {
    var generator = SystemRandomNumberGenerator()
    return KeyedHash(key0: generator.next(), key1: generator.next())
  }

  /// The hash of some bytes.
  @inline(__always)
  package func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = State(key0, key1)
    guard let base = bytes.baseAddress else { return state.finish(0) }
    let wholeCount = bytes.count & ~7
    var offset = 0
    while offset < wholeCount {
      state.absorb(unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
      offset &+= 8
    }
    return state.finish(unsafe UInt64(truncatingIfNeeded: bytes.count) &<< 56 | KeyedHash.rest(of: base, bytes.count))
  }

  /// The last bytes, fewer than eight, as an integer.
  @inline(__always)
  private static func rest(of base: UnsafeRawPointer, _ count: Int) -> UInt64 {
    let restCount = count & 7
    if restCount == 0 { return 0 }
    if count >= 8 {
      let lastWord = unsafe base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self).littleEndian
      return lastWord &>> UInt64(truncatingIfNeeded: 64 &- 8 &* restCount)
    }
    var rest: UInt64 = 0
    for index in 0..<restCount {
      unsafe rest |= UInt64(base.load(fromByteOffset: index, as: UInt8.self)) &<< UInt64(truncatingIfNeeded: 8 &* index)
    }
    return rest
  }

  private struct State {
    var v0: UInt64
    var v1: UInt64
    var v2: UInt64
    var v3: UInt64

    @inline(__always)
    init(_ key0: UInt64, _ key1: UInt64) {
      v0 = key0 ^ 0x736f_6d65_7073_6575
      v1 = key1 ^ 0x646f_7261_6e64_6f6d
      v2 = key0 ^ 0x6c79_6765_6e65_7261
      v3 = key1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func absorb(_ word: UInt64) {
      v3 ^= word
      round()
      v0 ^= word
    }

    @inline(__always)
    mutating func finish(_ last: UInt64) -> UInt64 {
      absorb(last)
      v2 ^= 0xff
      round()
      round()
      round()
      return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    private mutating func round() {
      v0 = v0 &+ v1
      v1 = rotated(v1, 13) ^ v0
      v0 = rotated(v0, 32)
      v2 = v2 &+ v3
      v3 = rotated(v3, 16) ^ v2
      v0 = v0 &+ v3
      v3 = rotated(v3, 21) ^ v0
      v2 = v2 &+ v1
      v1 = rotated(v1, 17) ^ v2
      v2 = rotated(v2, 32)
    }

    @inline(__always)
    private func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { (word &<< bits) | (word &>> (64 &- bits)) }
  }
}
