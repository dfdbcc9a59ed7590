import TestSupport
import Testing

@testable import Benching

/// The histogram against exact quantiles, and its laws.
struct HistogramTests {
  /// Values over many sizes: half of them below a microsecond, the greatest over the limit.
  private static func values(_ count: Int, seed: UInt64) -> [UInt64] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in random.next() >> UInt64.random(in: 20...63, using: &random) }
  }

  private static func histogram(_ values: [UInt64]) -> Histogram {
    var histogram = Histogram()
    for value in values { histogram.record(value) }
    return histogram
  }

  @Test("a quantile is at most 1/128 above the exact one, and never below", arguments: UInt64(1)...8)
  func quantiles(seed: UInt64) {
    let values = Self.values(5_000, seed: seed).map { min($0, Histogram.largestValue) }.sorted()
    let histogram = Self.histogram(values)
    for share in [0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1] {
      let exact = values[max(0, Int((share * 5_000).rounded(.up)) - 1)]
      let found = histogram.value(at: share)
      #expect(found >= exact && Double(found) <= Double(exact) * (1 + 1.0 / 128), "\(share): \(found) for \(exact)")
    }
  }

  @Test("count, mean and maximum are exact") func exactFigures() {
    let histogram = Self.histogram([1, 2, 3, 1_000_003])
    #expect(histogram.count == 4 && histogram.mean == 250_002.25 && histogram.maximum == 1_000_003)
    #expect(histogram.value(at: 1) == 1_000_003)
  }

  @Test("small values have a bucket each", arguments: [0, 1, 127, 128, 254, 255] as [UInt64])
  func smallValues(value: UInt64) {
    #expect(Self.histogram([value, 1_000_000]).value(at: 0.5) == value)
  }

  @Test(
    "what is longer than the limit counts as the limit",
    arguments: [
      (Histogram.largestValue - 1, Histogram.largestValue - 1), (Histogram.largestValue, Histogram.largestValue),
      (Histogram.largestValue + 1, Histogram.largestValue), (.max, Histogram.largestValue),
    ])
  func limit(value: UInt64, maximum: UInt64) {
    #expect(Self.histogram([value]).maximum == maximum)
    #expect(Self.histogram([value]).value(at: 0.5) == maximum)
  }

  @Test("merging is the same as recording all in one, in any order", arguments: UInt64(1)...5)
  func merging(seed: UInt64) {
    let values = Self.values(900, seed: seed)
    let parts = [values[..<10], values[10..<400], values[400...]].map { Self.histogram(Array($0)) }
    var (forward, backward) = (Histogram(), Histogram())
    for part in parts { forward.add(part) }
    for part in parts.reversed() { backward.add(part) }
    #expect(forward == Self.histogram(values) && backward == forward)
    forward.add(Histogram())
    #expect(forward == backward)
  }

  @Test("the curve rises to all values and the maximum") func curve() {
    let histogram = Self.histogram(Self.values(3_000, seed: 9))
    let curve = histogram.curve
    #expect(zip(curve, curve.dropFirst()).allSatisfy { $0.value < $1.value && $0.share < $1.share })
    #expect(curve.last?.share == 1 && curve.last?.value == histogram.maximum)
  }

  @Test("an empty histogram has zeros") func empty() {
    let histogram = Histogram()
    #expect(histogram.value(at: 0.5) == 0 && histogram.mean == 0 && histogram.maximum == 0 && histogram.curve.isEmpty)
  }
}
