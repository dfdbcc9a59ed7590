import Glibc

/// One axis of a chart: where values stand on it, from 0 at its begin to 1 at its end, and which are marked.
struct Axis: Sendable {
  let title: String
  let marks: [(place: Double, text: String)]
  private let kind: Kind

  private enum Kind {
    case linear(upTo: Double)
    /// By powers of ten of the value.
    case logarithmic(from: Double, decades: Double)
    /// By powers of ten of how small a share is left above a share.
    case shares(decades: Double)
  }

  /// Where a value stands; beyond the ends it stands at the end.
  func place(of value: Double) -> Double {
    let place =
      switch kind {
      case .linear(let greatest): value / greatest
      case .logarithmic(let least, let decades): log10(max(value, least) / least) / decades
      case .shares(let decades): value >= 1 ? 1 : -log10(1 - value) / decades
      }
    return min(max(place, 0), 1)
  }

  /// Equal steps from zero to a greatest value or a little more, marked by four to ten round numbers.
  static func linear(_ title: String, upTo greatest: Double, text: (Double) -> String) -> Axis {
    let magnitude = pow(10, floor(log10(max(greatest, 1))))
    let step = [0.1, 0.2, 0.5, 1, 2].map { $0 * magnitude }.first { greatest / $0 <= 10 } ?? magnitude
    let count = max(1, Int((greatest / step).rounded(.up)))
    let marks = (0...count).map { (Double($0) / Double(count), text(Double($0) * step)) }
    return Axis(title: title, marks: marks, kind: .linear(upTo: Double(count) * step))
  }

  /// Powers of ten about a least and a greatest value, each marked.
  static func logarithmic(_ title: String, from least: Double, upTo greatest: Double, text: (Double) -> String) -> Axis {
    let first = floor(log10(max(least, 1)))
    let count = max(1, Int(ceil(log10(max(greatest, 1)))) - Int(first))
    let marks = (0...count).map { (Double($0) / Double(count), text(pow(10, first + Double($0)))) }
    return Axis(title: title, marks: marks, kind: .logarithmic(from: pow(10, first), decades: Double(count)))
  }

  /// Shares of so many things: 0, 90, 99, 99.9 % and so on stand at equal distances, as in plots of HdrHistogram.
  static func shares(_ title: String, of count: UInt64) -> Axis {
    let decades = min(max(Int(ceil(log10(Double(max(count, 1))))), 2), names.count - 1)
    let marks = (0...decades).map { (Double($0) / Double(decades), names[$0]) }
    return Axis(title: title, marks: marks, kind: .shares(decades: Double(decades)))
  }

  private static let names = ["0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "99.9999 %", "99.99999 %"]
}
