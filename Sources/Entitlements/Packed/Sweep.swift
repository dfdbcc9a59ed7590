/// A way through values by their numbers that gives all of them as they were when it began, in parts, while they go on changing.
///
/// What changes before its turn is kept as it was, and given with the next part. So a sweep needs memory for what changes between two
/// parts, and one bit for each value.
struct Sweep<Value: Sendable>: Sendable {
  /// How many values there were when the sweep began.
  private let end: Int
  /// The first value that no part gave yet, unless it was kept.
  private var next = 0
  /// A bit for each value: whether it changed before its turn.
  private var isKept: [UInt64]
  /// Those that no part gave yet, as they were when the sweep began.
  private var kept: [(number: Int, value: Value)] = []

  init(of count: Int) {
    end = count
    isKept = [UInt64](repeating: 0, count: (count + 63) / 64)
  }

  /// Whether a value that is about to change is to be kept.
  func wouldKeep(_ number: Int) -> Bool { next..<end ~= number && !wasKept(number) }

  /// Keeps a value that is about to change.
  mutating func keep(_ number: Int, _ value: Value) {
    isKept[number / 64] |= 1 << UInt64(number % 64)
    kept.append((number, value))
  }

  private func wasKept(_ number: Int) -> Bool { isKept[number / 64] & 1 << UInt64(number % 64) != 0 }

  /// What changed since the part before, and the next values in the order of their numbers.
  ///
  /// - Parameter limit: how many values the sweep goes on by.
  /// - Returns: each value once in the course of the sweep; nil when all were given.
  mutating func goOn(by limit: Int, _ value: (Int) -> Value) -> [(number: Int, value: Value)]? {
    guard next < end else { return nil }
    var part = kept
    kept = []
    let turn = next..<min(next + limit, end)
    for number in turn where !wasKept(number) { part.append((number, value(number))) }
    next = turn.upperBound
    return part
  }
}
