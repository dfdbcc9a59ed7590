/// Random numbers that depend on a seed alone, so that a load can be made again (SplitMix64).
package struct RandomNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return RandomNumbers.mixed(state)
  }

  /// A number from 0 up to, but not including, 1.
  package mutating func nextFraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number below a bound, by multiplication instead of division; its bias is under 2⁻³² for the bounds in use here.
  package mutating func next(below bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(bound)).high) }

  /// Numbers that have nothing to do with one another for numbers that do.
  package static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
