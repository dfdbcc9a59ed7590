import LatchkeyWire
import TestSupport
import Testing

@testable import Benching

/// Who exists for a load, and what fills a server with them.
struct PopulationTests {
  private static let population = Population(customerCount: 2_000, seed: 42)

  private static func households(of population: Population) -> [Population.Household] {
    var households: [Population.Household] = []
    while (households.last?.people.upperBound ?? 0) < population.customerCount {
      households.append(population.household(of: households.last?.people.upperBound ?? 0))
    }
    return households
  }

  @Test("ids are random UUIDs, each another") func ids() throws {
    let texts = (0..<2_000).map { Self.population.id(of: $0).text }
    let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
    #expect(texts.allSatisfy { $0.wholeMatch(of: form) != nil })
    #expect(Set(texts).count == 2_000)
  }

  @Test("an id is its bits in hexadecimal, but for version and variant") func idText() {
    let id = CustomerID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    #expect(id.text == "01234567-89ab-4def-bedc-ba9876543210")
  }

  @Test("a transaction's id has eighteen digits, however it is written", arguments: [0, 1, 899_999_999_999_999_999, .max])
  func transactionIDs(number: UInt64) {
    let id = TransactionID(number)
    var bytes = [UInt8](repeating: UInt8(ascii: "t"), count: 20)
    id.write(to: &bytes, at: 1)
    #expect(String(decoding: bytes, as: UTF8.self) == "t\(id.text)t")
    #expect(id.text.wholeMatch(of: /[1-9][0-9]{17}/) != nil)
  }

  @Test("the same seed gives the same people, another one others") func seeds() {
    let (same, other) = (Population(customerCount: 2_000, seed: 42), Population(customerCount: 2_000, seed: 43))
    #expect((0..<2_000).allSatisfy { same.id(of: $0) == Self.population.id(of: $0) })
    #expect((0..<2_000).allSatisfy { other.id(of: $0) != Self.population.id(of: $0) })
  }

  @Test(
    "households follow one another without a gap, and all their people know them", arguments: [1, 5, 6, 7, 25, 26, 27, 2_000])
  func households(customerCount: Int) {
    let population = Population(customerCount: customerCount, seed: 1)
    let households = Self.households(of: population)
    #expect(households.last?.people.upperBound == customerCount)
    for household in households {
      #expect((1...6).contains(household.people.count))
      #expect(household.people.allSatisfy { population.household(of: $0) == household })
    }
  }

  @Test("there are singles and families of each size, subscriptions with renewals, purchases, and refunds") func variety() {
    let households = Self.households(of: Self.population)
    #expect(Set(households.map(\.people.count)) == [1, 2, 3, 4, 5, 6])
    #expect(Set(households.filter { $0.product == .monthly }.map(\.periods)) == [1, 2, 3, 4])
    #expect(households.filter { $0.product == .onetime }.allSatisfy { $0.periods == 1 })
    let refunds = households.count { $0.isRefunded }
    #expect(refunds > 0 && refunds < households.count / 10)
  }

  @Test("recordings name each transaction once, but for its refund, and members by the purchase behind them") func recordings() {
    var ids: Set<String> = []
    for household in Self.households(of: Self.population) {
      let requests = Self.population.recordings(of: household, at: 1_800_000_000_000)
      #expect(requests.count == household.periods + household.people.count - 1 + (household.isRefunded ? 1 : 0))
      let original = requests.first?.transaction?.transactionID
      for request in requests where request.transaction?.revocationDateMilliseconds == nil {
        let isNew = ids.insert(request.transaction?.transactionID ?? "").inserted
        #expect(isNew)
        let isShared = request.transaction?.ownership == .familyShared
        #expect(request.sharedFrom == (isShared ? [original ?? ""] : []))
      }
      #expect(Set(requests.map(\.customerID)) == Set(household.people.map { Self.population.id(of: $0).text }))
    }
  }
}
