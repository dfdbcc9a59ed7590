import Testing

@testable import Storage

struct KeyedHashTests {
  // From CPython 3.11, which hashes bytes by SipHash-1-3, here with the key 0.
  @Test(
    "The hash is SipHash-1-3, whatever the length",
    arguments: [
      (1, 0x2614_4e6c_ff3a_c45c), (7, 0xdf73_6fc8_8c20_792a), (8, 0x13c8_df4e_c019_b503), (9, 0xdfb5_eb7c_c322_3b49),
      (16, 0x6101_2550_0b21_b982), (31, 0xde72_d3f4_5318_baf4),
    ] as [(Int, UInt64)])
  func vectors(length: Int, expected: UInt64) {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
    #expect(unsafe bytes.withUnsafeBytes { unsafe KeyedHash(key0: 0, key1: 0).hash($0) } == expected)
  }

  @Test("Two stores hash the same id differently")
  func key() {
    let bytes: [UInt8] = [1, 2, 3]
    unsafe bytes.withUnsafeBytes { bytes in
      #expect(unsafe KeyedHash.random().hash(bytes) != KeyedHash.random().hash(bytes))
    }
  }
}
