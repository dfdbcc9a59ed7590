import Entitlements
import TestSupport
import Testing

@testable import Storage

extension NameCache {
  /// The number of a name given as text.
  fileprivate mutating func number(of name: String) -> UInt32? {
    let bytes = Array(name.utf8)
    return unsafe bytes.withUnsafeBytes { unsafe number(of: $0) }
  }
}

struct NameCacheTests {
  @Test("A name that nobody knew is known as soon as it has a number, however often it was asked about before")
  func becomesKnown() {
    let names = EntitlementNames()
    var cache = NameCache(names)
    for _ in 0..<3 { #expect(cache.number(of: "an entitlement to come") == nil) }
    let other = names.number(of: "another one")
    #expect(cache.number(of: "an entitlement to come") == nil)
    let number = names.number(of: "an entitlement to come")
    for _ in 0..<3 { #expect(cache.number(of: "an entitlement to come") == number) }
    #expect(cache.number(of: "another one") == other)
  }

  @Test("A list of names has the numbers of its names, in ascending order, however many lists come between")
  func lists() {
    let names = EntitlementNames()
    let lists = (0..<40).map { list in (0...list % 5).map { Identifier("name \((list * 7 - $0 * 3 + 40) % 31)") } }
    for list in lists + lists.reversed() + lists {
      let numbers = names.numbers(of: list)
      #expect(numbers == numbers.sorted() && Set(numbers) == Set(list.compactMap { names.knownNumber(of: $0) }))
      #expect(numbers.count == list.count && names.numbers(of: list) == numbers)
    }
  }

  @Test("A cache answers as the names themselves do, whatever drives out what")
  func agrees() {
    let names = EntitlementNames()
    var cache = NameCache(names)
    var random = SeededRandom(seed: 8)
    for _ in 0..<40_000 {
      let name =
        String(repeating: "n", count: Int.random(in: 0..<8, using: &random)) + "\(Int.random(in: 0..<200, using: &random))"
      if random.oneIn(100) { _ = names.number(of: Identifier(name)) }
      #expect(cache.number(of: name) == names.knownNumber(of: Identifier(name)))
    }
  }
}
