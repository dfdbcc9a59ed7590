import TestSupport
import Testing

@testable import Entitlements

@Suite struct RememberedTests {
  @Test(
    "Each value is made once and given ever after, however many keys come in whatever order", arguments: [1, 2, 8, 9, 10, 100])
  func values(keyCount: Int) {
    var random = SeededRandom(seed: UInt64(keyCount))
    var remembered = Remembered<Int, String>()
    var made: [Int: Int] = [:]
    func make(_ key: Int) -> String {
      made[key, default: 0] += 1
      return "value \(key)"
    }
    for _ in 0..<1_000 {
      let key = Int.random(in: 0..<keyCount, using: &random)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        #expect(remembered.value(of: key, otherwise: make(key)) == "value \(key)")
      }
    }
    #expect(made.values.allSatisfy { $0 == 1 })
    #expect(remembered.count == made.count)
    remembered.forget()
    #expect(remembered.count == 0)
    for key in made.keys { #expect(remembered.find(key) == nil) }
  }
}
