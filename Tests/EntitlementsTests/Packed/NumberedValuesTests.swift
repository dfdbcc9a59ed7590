import TestSupport
import Testing

@testable import Entitlements

struct NumberedValuesTests {
  /// Goes through a whole sweep with random changes between its parts, and returns what it gave.
  private func sweep(
    _ values: inout NumberedValues<Int>, by limit: Int, changes: Int, _ random: inout SeededRandom
  ) -> [(number: Int, value: Int)] {
    var given: [(number: Int, value: Int)] = []
    while let part = values.sweepOn(by: limit) {
      given += part
      for _ in 0..<changes {
        if random.oneIn(4) { _ = values.append(-1) }
        guard !values.isEmpty else { continue }
        values[Int.random(in: 0..<values.count, using: &random)] = -2
      }
    }
    return given
  }

  @Test(arguments: [0, 1, 63, 64, 65, 200], [1, 2, 64, 1_000])
  func `a sweep gives each value once, as it was when it began`(count: Int, limit: Int) {
    var random = SeededRandom(seed: UInt64(count * 10_000 + limit))
    for changes in [0, 1, 7, 50] {
      var values = NumberedValues(Array(0..<count))
      values.beginSweep()
      let given = sweep(&values, by: limit, changes: changes, &random)
      #expect(given.map(\.number).sorted() == Array(0..<count))
      #expect(given.allSatisfy { $0.number == $0.value })
      #expect(values.sweepOn(by: limit) == nil)
    }
  }

  @Test func `what changes before its turn comes with the next part, and never again`() {
    var values = NumberedValues(["a", "b", "c", "d"])
    values.beginSweep()
    values[3] = "D"
    values[3] = "DD"
    values[0] += "A"
    let first = values.sweepOn(by: 2)
    #expect(first?.map(\.value) == ["d", "a", "b"])
    values[0] = "a"
    values[2] = "C"
    #expect(values.sweepOn(by: 2)?.map(\.value) == ["c"])
    #expect(values.sweepOn(by: 2) == nil)
    #expect(Array(values) == ["a", "b", "C", "DD"])
  }

  @Test func `a sweep that ended gives nothing, and another one begins anew`() {
    var values = NumberedValues([1, 2, 3])
    #expect(values.sweepOn(by: 1) == nil)
    values.beginSweep()
    #expect(values.sweepOn(by: 1)?.map(\.value) == [1])
    values.endSweep()
    #expect(values.sweepOn(by: 1) == nil)
    values.beginSweep()
    values[1] = 5
    values.beginSweep()
    #expect(values.sweepOn(by: 9)?.map(\.value) == [1, 5, 3])
  }
}
