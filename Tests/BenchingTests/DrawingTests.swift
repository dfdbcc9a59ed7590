import Glibc
import LatchkeyWire
import Testing

@testable import Benching

/// What calls are drawn from: frequencies of seeded draws against the distributions' own formulas.
struct DrawingTests {
  /// How far a count of draws may be from what is expected: five standard deviations, and one for rounding.
  private static func isNear(_ count: Int, _ expected: Double, of draws: Int) -> Bool {
    let deviation = sqrt(expected * (1 - expected / Double(draws)))
    return abs(Double(count) - expected) <= 5 * deviation + 1
  }

  @Test(
    "Zipf draws each rank in proportion to its power",
    arguments: [1, 2, 3, 10, 1_000], [0.01, 0.5, 0.99, 1, 1.000_000_001, 1.5, 3, 10])
  func zipf(count: Int, exponent: Double) {
    let zipf = ZipfDistribution(count: count, exponent: exponent)
    var random = RandomNumbers(seed: 7)
    var counts = Array(repeating: 0, count: count + 1)
    let draws = 20_000
    for _ in 0..<draws { counts[zipf.next(&random)] += 1 }
    let sum = (1...count).reduce(0) { $0 + pow(Double($1), -exponent) }
    #expect(counts[0] == 0)
    // Rare ranks are looked at together, since deviations of small counts aren't normal.
    var rare = (count: 0, expected: 0.0)
    for rank in 1...count {
      let expected = Double(draws) * pow(Double(rank), -exponent) / sum
      if expected < 20 {
        rare = (rare.count + counts[rank], rare.expected + expected)
      } else {
        #expect(Self.isNear(counts[rank], expected, of: draws), "rank \(rank): \(counts[rank]) for \(expected)")
      }
    }
    #expect(Self.isNear(rare.count, rare.expected, of: draws), "rare ranks: \(rare)")
  }

  @Test("ranks of Zipf are scattered over all customers, each with one place")
  func scattering() {
    let keys = Keys(.zipf(exponent: 0.01), of: Population(customerCount: 97, seed: 1))
    var random = RandomNumbers(seed: 3)
    #expect(Set((0..<5_000).map { _ in keys.next(&random) }) == Set(0..<97))
  }

  @Test("a hot family has its share, and the others the rest alike", arguments: [0.001, 0.25, 0.5, 1])
  func hotFamily(share: Double) {
    let keys = Keys(.hotFamily(share: share), of: Population(customerCount: 60, seed: 1))
    var random = RandomNumbers(seed: 11)
    var counts = Array(repeating: 0, count: 60)
    let draws = 30_000
    for _ in 0..<draws { counts[keys.next(&random)] += 1 }
    for customer in 0..<60 {
      let expected = Double(draws) * ((1 - share) / 60 + (customer < 6 ? share / 6 : 0))
      #expect(Self.isNear(counts[customer], expected, of: draws), "\(customer): \(counts[customer]) for \(expected)")
    }
  }

  @Test("uniform draws come to every customer alike") func uniform() {
    let keys = Keys(.uniform, of: Population(customerCount: 50, seed: 1))
    var random = RandomNumbers(seed: 5)
    var counts = Array(repeating: 0, count: 50)
    for _ in 0..<20_000 { counts[keys.next(&random)] += 1 }
    #expect(counts.allSatisfy { Self.isNear($0, 400, of: 20_000) })
  }

  @Test(
    "distributions are read as they are written",
    arguments: [
      ("uniform", .uniform), ("zipf", .zipf(exponent: 1)), ("zipf:0.8", .zipf(exponent: 0.8)), ("zipf:10", .zipf(exponent: 10)),
      ("zipf:0.01", .zipf(exponent: 0.01)), ("hot", .hotFamily(share: 0.5)), ("hot:1", .hotFamily(share: 1)),
      ("zipf:0.009", nil), ("zipf:10.1", nil), ("hot:0", nil), ("hot:1.1", nil), ("uniform:1", nil), ("zipf:", nil),
      ("zipf:x", nil), ("zipf:nan", nil), ("", nil), ("cold", nil),
    ] as [(String, KeyDistribution?)])
  func keyTexts(text: String, distribution: KeyDistribution?) {
    #expect(KeyDistribution(text) == distribution)
    if let distribution { #expect(KeyDistribution(distribution.text) == distribution) }
  }

  @Test(
    "a mix is read as it is written, or refused",
    arguments: [
      ("check", "check=1"), ("check=99,history=1", "check=99,history=1"), ("batch=1000000", "batch=1000000"), ("", nil),
      ("check=0", nil), ("check=-1", nil), ("check=1000001", nil), ("check=x", nil), ("check,check", nil), ("check,", nil),
      ("watch", nil), ("check=1=2", nil),
    ] as [(String, String?)])
  func mixTexts(text: String, written: String?) {
    #expect(CallMix(text)?.text == written)
  }

  @Test("calls of a mix come as often as their weights say") func mixFrequencies() throws {
    let mix = try #require(CallMix("check=90,history=9,record=1"))
    var random = RandomNumbers(seed: 2)
    var counts: [CallKind: Int] = [:]
    for _ in 0..<50_000 { counts[mix.next(&random), default: 0] += 1 }
    for (kind, weight) in mix.weights {
      #expect(Self.isNear(counts[kind] ?? 0, Double(weight) * 500, of: 50_000), "\(kind): \(counts[kind] ?? 0)")
    }
  }
}
