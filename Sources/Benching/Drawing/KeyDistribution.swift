/// Which customers calls are about, and how often each.
package enum KeyDistribution: Equatable, Sendable {
  /// All equally often.
  case uniform
  /// The customer of rank k in proportion to 1/kˢ, as the popularity of most things is; ranks are scattered over all households.
  case zipf(exponent: Double)
  /// One family is asked about in so large a share of the calls, all others equally often in the rest.
  case hotFamily(share: Double)

  /// Reads `uniform`, `zipf`, `zipf:0.8`, `hot` or `hot:0.25`; nil for anything else. The exponent is from 0.01 to 10, the share from
  /// 0.001 to 1; without them they are 1 and 0.5.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let number = parts.count > 1 ? Double(parts[1]) : nil
    if parts.count > 1, number == nil { return nil }
    switch parts[0] {
    case "uniform" where parts.count == 1: self = .uniform
    case "zipf" where (0.01...10).contains(number ?? 1): self = .zipf(exponent: number ?? 1)
    case "hot" where (0.001...1).contains(number ?? 0.5): self = .hotFamily(share: number ?? 0.5)
    default: return nil
    }
  }

  /// The distribution as it is written on a command line.
  package var text: String {
    switch self {
    case .uniform: "uniform"
    case .zipf(let exponent): "zipf:\(exponent)"
    case .hotFamily(let share): "hot:\(share)"
    }
  }
}

/// Draws customers of a population by a distribution.
package struct Keys: Sendable {
  private let customerCount: Int
  private let distribution: KeyDistribution
  private let zipf: ZipfDistribution?
  private let hotFamily: Range<Int>

  /// Makes what draws by a distribution; the hot family is the first one.
  package init(_ distribution: KeyDistribution, of population: Population) {
    self.distribution = distribution
    customerCount = population.customerCount
    if case .zipf(let exponent) = distribution {
      zipf = ZipfDistribution(count: customerCount, exponent: exponent)
    } else {
      zipf = nil
    }
    hotFamily = population.household(of: 0).people
  }

  /// The number of the next customer.
  package func next(_ random: inout RandomNumbers) -> Int {
    if let zipf { return scattered(zipf.next(&random) - 1) }
    if case .hotFamily(let share) = distribution, random.nextFraction() < share {
      return hotFamily.lowerBound + random.next(below: hotFamily.count)
    }
    return random.next(below: customerCount)
  }

  /// Where a rank stands among the customers. The multiplier is a prime greater than any number of customers, so that no two ranks
  /// stand in one place.
  private func scattered(_ rank: Int) -> Int { rank * 2_654_435_761 % customerCount }
}
