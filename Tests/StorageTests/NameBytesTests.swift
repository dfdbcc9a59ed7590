import Testing

@testable import Storage

struct NameBytesTests {
  @Test("Bytes are the same only where each of them is, however many there are", arguments: 0...40)
  func sameOnlyWhereEachIs(count: Int) {
    let bytes = (0..<count).map { UInt8($0 + 1) }
    #expect(areSame(bytes, bytes))
    for index in bytes.indices {
      for bit in [1, 0x80] as [UInt8] {
        var other = bytes
        other[index] ^= bit
        #expect(!areSame(bytes, other), "byte \(index) of \(count) differs")
      }
    }
  }

  @Test("Fewer than eight bytes make a word that no others of their number make", arguments: 1...7)
  func shortWordsDiffer(count: Int) {
    // One byte after the other takes two values; the others stay as they are.
    let all = (0..<1 << count).map { choice in (0..<count).map { UInt8(choice >> $0 & 1) } }
    let words = all.map { bytes in unsafe bytes.withUnsafeBytes { unsafe $0.baseAddress?.shortWord(count) } }
    #expect(Set(words).count == all.count)
  }

  private func areSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    // One byte more, so that there is memory to point to where there are none.
    unsafe (one + [0]).withUnsafeBytes { one in
      unsafe (other + [0]).withUnsafeBytes { other in
        guard let first = one.baseAddress, let second = other.baseAddress else { return false }
        return unsafe first.hasSameBytes(as: second, count: one.count - 1)
      }
    }
  }
}
