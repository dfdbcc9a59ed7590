/// Counts durations by their size, in buckets whose width grows with what they hold: small, mergeable, and everywhere less than 1 % off.
///
/// Up to 255 ns a bucket holds one value. Beyond, each power of two is cut into 128 buckets, so that what a bucket stands for is at most
/// 1/128 more than any value in it: the idea of HdrHistogram.
package struct Histogram: Equatable, Sendable {
  /// The most that a value is told apart from others, in nanoseconds: about 73 minutes. What is longer counts as this.
  package static let largestValue: UInt64 = (1 << 42) - 1
  /// How many buckets a power of two is cut into, as a power of two.
  private static let precisionBits = 7

  /// By bucket, up to the greatest one in use, rounded up to whole powers of two.
  private var counts: [UInt64] = []
  /// How many values were recorded.
  package private(set) var count: UInt64 = 0
  /// The greatest value that was recorded, exactly; 0 without any.
  package private(set) var maximum: UInt64 = 0
  private var sum: UInt128 = 0

  package init() {}

  /// The mean of the values, exactly; 0 without any.
  package var mean: Double { count == 0 ? 0 : Double(sum) / Double(count) }

  /// Counts a duration in nanoseconds.
  package mutating func record(_ value: UInt64) {
    let value = min(value, Self.largestValue)
    let index = Self.bucket(of: value)
    if index >= counts.count { grow(toHold: index) }
    counts[index] += 1
    count += 1
    maximum = max(maximum, value)
    sum += UInt128(value)
  }

  /// Adds all that another histogram counted.
  package mutating func add(_ other: Histogram) {
    if other.counts.count > counts.count { grow(toHold: other.counts.count - 1) }
    for index in other.counts.indices { counts[index] += other.counts[index] }
    count += other.count
    maximum = max(maximum, other.maximum)
    sum += other.sum
  }

  /// The value that so large a share of all values doesn't exceed, at most 1/128 too great; 0 without any value.
  ///
  /// - Parameter share: from 0 to 1; 0.99 asks for what is called the 99th percentile.
  package func value(at share: Double) -> UInt64 {
    let rank = max(1, UInt64((share * Double(count)).rounded(.up)))
    var passed: UInt64 = 0
    for index in counts.indices {
      passed += counts[index]
      if passed >= rank { return min(Self.greatestValue(ofBucket: index), maximum) }
    }
    return maximum
  }

  /// For each bucket that holds something, its greatest value and the share of all values that don't exceed it, in ascending order.
  package var curve: [(value: UInt64, share: Double)] {
    var passed: UInt64 = 0
    return counts.indices.compactMap { index in
      passed += counts[index]
      guard counts[index] > 0 else { return nil }
      return (min(Self.greatestValue(ofBucket: index), maximum), Double(passed) / Double(count))
    }
  }

  // MARK: Buckets

  /// The first 256 values have a bucket each; then come 128 for each power of two.
  private static func bucket(of value: UInt64) -> Int {
    let shift = max(0, 63 - precisionBits - value.leadingZeroBitCount)
    return shift << precisionBits + Int(value >> UInt64(shift))
  }

  private static func greatestValue(ofBucket index: Int) -> UInt64 {
    let shift = max(0, index >> precisionBits - 1)
    return (UInt64(index - shift << precisionBits) + 1) << UInt64(shift) - 1
  }

  private mutating func grow(toHold index: Int) {
    let wanted = (index >> Self.precisionBits + 1) << Self.precisionBits
    counts += repeatElement(0, count: wanted - counts.count)
  }
}
