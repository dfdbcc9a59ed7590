import Glibc

/// Draws ranks from 1 to a count, rank k with a probability in proportion to 1/kˢ, in constant time and without a table.
///
/// Rejection-inversion, as W. Hörmann and G. Derflinger describe it in "Rejection-inversion to generate variates from monotone discrete
/// distributions" (ACM TOMACS 6.3, 1996): the area under a curve above the probabilities is inverted, and a draw that falls between
/// the curve and the step of its rank is drawn again.
package struct ZipfDistribution: Sendable {
  private let count: Double
  private let exponent: Double
  /// The area under the curve from the first rank's lower end, and up to the last rank's upper end.
  private let (areaAtFirst, areaAtLast): (Double, Double)
  /// How far above a whole number a draw is surely taken.
  private let sureDistance: Double

  /// Makes the distribution over so many ranks.
  /// - Parameters:
  ///   - count: at least 1.
  ///   - exponent: more than 0.
  package init(count: Int, exponent: Double) {
    precondition(count >= 1 && exponent > 0, "a Zipf distribution of \(count) ranks with exponent \(exponent)")
    (self.count, self.exponent) = (Double(count), exponent)
    areaAtFirst = ZipfDistribution.area(to: 1.5, exponent) - 1
    areaAtLast = ZipfDistribution.area(to: Double(count) + 0.5, exponent)
    let curveAtTwo = exp(-exponent * log(2))
    sureDistance = 2 - ZipfDistribution.place(ofArea: ZipfDistribution.area(to: 2.5, exponent) - curveAtTwo, exponent)
  }

  /// The next rank.
  package func next(_ random: inout RandomNumbers) -> Int {
    while true {
      let area = areaAtLast + random.nextFraction() * (areaAtFirst - areaAtLast)
      let place = ZipfDistribution.place(ofArea: area, exponent)
      let rank = min(max((place + 0.5).rounded(.down), 1), count)
      if rank - place <= sureDistance { return Int(rank) }
      if area >= ZipfDistribution.area(to: rank + 0.5, exponent) - exp(-exponent * log(rank)) { return Int(rank) }
    }
  }

  /// The integral of x⁻ˢ from 1, written so that it is exact about s = 1, where it is the logarithm.
  private static func area(to place: Double, _ exponent: Double) -> Double {
    let logarithm = log(place)
    let power = (1 - exponent) * logarithm
    return logarithm * (abs(power) > 1e-8 ? expm1(power) / power : 1 + power / 2)
  }

  /// The inverse of the area.
  private static func place(ofArea area: Double, _ exponent: Double) -> Double {
    // Rounding may lead below -1, where the logarithm ends.
    let power = max(area * (1 - exponent), -1)
    return exp(area * (abs(power) > 1e-8 ? log1p(power) / power : 1 - power / 2))
  }
}
