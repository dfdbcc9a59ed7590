import TestSupport
import Testing

@testable import Entitlements

struct ChunkedArrayTests {
  @Test("It holds what an array holds, whatever its length", arguments: [0, 1, 511, 512, 513, 1_024, 2_000])
  func holds(count: Int) {
    var random = SeededRandom(seed: UInt64(count))
    var (chunked, plain) = (ChunkedArray(0..<count), Array(0..<count))
    for _ in 0..<count {
      let index = Int.random(in: 0..<count, using: &random)
      chunked[index] += 1_000
      plain[index] += 1_000
    }
    chunked.append(-1)
    plain.append(-1)
    #expect(chunked.count == plain.count)
    #expect(plain.indices.allSatisfy { chunked[$0] == plain[$0] })
    #expect(chunked == ChunkedArray(plain))
  }

  @Test("A copy doesn't change with the original")
  func copies() {
    var original = ChunkedArray(0..<1_500)
    let copy = original
    original[700] = -1
    original.append(-2)
    #expect(copy == ChunkedArray(0..<1_500))
  }
}
