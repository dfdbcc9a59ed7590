import TestSupport
import Testing

@testable import Entitlements

struct NumberIndexTests {
  /// The number of a key, as the ledger asks for it.
  private func find(_ key: Int, in index: NumberIndex, of keys: [Int]) -> Int? {
    index.find(key.hashValue) { keys[$0] == key }
  }

  @Test(
    "It finds what was added and not taken out, while it is small and when it is large", arguments: 1...6 as ClosedRange<UInt64>)
  func model(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var index = NumberIndex()
    var (keys, present): ([Int], Set<Int>) = ([], [])
    for _ in 0..<6_000 {
      if random.oneIn(3), let number = present.randomElement(using: &random) {
        index.remove(number, keys[number].hashValue)
        present.remove(number)
      } else {
        keys.append(Int.random(in: 0...Int.max, using: &random))
        present.insert(keys.count - 1)
        index.insert(keys.count - 1, keys[keys.count - 1].hashValue)
      }
    }
    #expect(index.count == present.count)
    for (number, key) in keys.enumerated() {
      #expect(find(key, in: index, of: keys) == (present.contains(number) ? number : nil))
    }
  }

  @Test("Keys of one hash are told apart by what they are, also after one of them is gone")
  func sameHash() {
    var index = NumberIndex()
    for number in 0..<100 { index.insert(number, 7) }
    for number in stride(from: 0, to: 100, by: 3) { index.remove(number, 7) }
    for number in 0..<100 { #expect(index.find(7) { $0 == number } == (number % 3 == 0 ? nil : number)) }
  }

  @Test("A look-up asks for few keys, be there many", arguments: [100, 2_048, 2_049, 100_000])
  func lookups(count: Int) {
    var index = NumberIndex()
    for number in 0..<count { index.insert(number, number.hashValue) }
    var asked = 0
    for number in 0..<count {
      _ = index.find(number.hashValue) {
        asked += 1
        return $0 == number
      }
    }
    #expect(asked < count + count / 100 + 1)
    #expect(index.longestWay < 400, "a key stands far from where the search for it begins")
  }
}

extension NumberIndex {
  /// The most places that a search for something that is here looks at.
  fileprivate var longestWay: Int {
    let ways = segments.map { slots in
      slots.indices.filter { slots[$0] != NumberIndex.free }.map { place in
        (place - NumberIndex.home(of: slots[place] >> 32, in: slots.count) + slots.count) % slots.count + 1
      }
    }
    return ways.joined().max() ?? 0
  }
}

struct NumberListsTests {
  @Test("Lists are ascending and hold what was added and not taken out", arguments: 1...6 as ClosedRange<UInt64>)
  func model(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var lists = NumberLists()
    var handles = [NumberLists.Handle](repeating: .empty, count: 5)
    var expected = [Set<RecordNumber>](repeating: [], count: 5)
    for _ in 0..<2_000 {
      let (list, number) = (Int.random(in: 0..<5, using: &random), Int.random(in: 0..<12, using: &random))
      if expected[list].insert(number).inserted {
        lists.add(number, to: &handles[list])
      } else {
        expected[list].remove(number)
        lists.remove(number, from: &handles[list])
      }
      #expect(lists[handles[list]] == expected[list].sorted())
      #expect(handles[list].isEmpty == expected[list].isEmpty)
    }
    for (handle, numbers) in zip(handles, expected) {
      var given: [RecordNumber] = []
      lists.forEach(of: handle) { given.append($0) }
      #expect(given == numbers.sorted())
    }
  }

  @Test("Taking out what isn't there changes nothing")
  func absent() {
    var lists = NumberLists()
    var handle = NumberLists.Handle.empty
    lists.remove(3, from: &handle)
    lists.add(4, to: &handle)
    lists.remove(3, from: &handle)
    lists.add(6, to: &handle)
    lists.remove(5, from: &handle)
    #expect(lists[handle] == [4, 6])
  }
}

struct DistinctNumbersTests {
  @Test("Numbers come once, in the order in which they came first, be they few or many", arguments: [0, 1, 8, 9, 40])
  func order(count: Int) {
    var distinct = DistinctNumbers<Int>()
    for number in (0..<count) + (0..<count).reversed() { distinct.insert(number) }
    #expect(distinct.numbers == Array(0..<count))
    #expect(distinct.count == count)
    var given: [Int] = []
    distinct.forEach { given.append($0) }
    #expect(given == distinct.numbers)
    for number in 0..<count { #expect(distinct.contains(number)) }
    #expect(!distinct.contains(count))
  }
}
