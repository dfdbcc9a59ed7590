/// Values by their numbers, which count from 0 and never change, with a sweep that gives all of them as of one moment.
///
/// The sweep goes on in parts, and the values may change between two of them: what changes before its turn is kept as it was, and
/// given with the next part. So a sweep needs memory for what changes between two parts, and one bit for each value.
package struct NumberedValues<Value: Sendable>: Sendable {
  private var values = ChunkedArray<Value>()
  /// Nil while no sweep is under way.
  private var sweep: Sweep?

  init(_ values: [Value] = []) { self.values = ChunkedArray(values) }

  /// Adds a value behind all others, and gives its number. A sweep that is under way doesn't give it.
  mutating func append(_ value: Value) -> Int {
    values.append(value)
    return values.count - 1
  }
}

extension NumberedValues: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { values.count }

  package internal(set) subscript(number: Int) -> Value {
    _read { yield values[number] }
    _modify {
      sweep?.keep(values, number)
      yield &values[number]
    }
  }
}

extension NumberedValues: Equatable where Value: Equatable {
  package static func == (one: NumberedValues, other: NumberedValues) -> Bool { one.values == other.values }
}

// MARK: - Sweeps

extension NumberedValues {
  private struct Sweep {
    /// How many values there were when the sweep began.
    let end: Int
    /// The first value that no part gave yet, unless it was kept.
    var next = 0
    /// A bit for each value: whether it changed before its turn.
    var isKept: [UInt64]
    /// Those that no part gave yet, as they were when the sweep began.
    var kept: [(number: Int, value: Value)] = []

    init(of count: Int) {
      end = count
      isKept = [UInt64](repeating: 0, count: (count + 63) / 64)
    }

    /// Notes a value that is about to change.
    mutating func keep(_ values: borrowing ChunkedArray<Value>, _ number: Int) {
      guard next..<end ~= number, !wasKept(number) else { return }
      isKept[number / 64] |= 1 << UInt64(number % 64)
      kept.append((number, values[number]))
    }

    func wasKept(_ number: Int) -> Bool { isKept[number / 64] & 1 << UInt64(number % 64) != 0 }
  }

  /// Begins a sweep through all values as they are now. One that is under way ends.
  mutating func beginSweep() { sweep = Sweep(of: values.count) }

  /// Ends the sweep, wherever it is.
  mutating func endSweep() { sweep = nil }

  /// The next part of the sweep: what changed since the part before, and the next values in the order of their numbers.
  ///
  /// - Parameter limit: how many values the sweep goes on by.
  /// - Returns: each value once in the course of the sweep, as it was when the sweep began; nil when all were given, or none is
  ///   under way.
  mutating func sweepOn(by limit: Int) -> [(number: Int, value: Value)]? {
    guard var sweep, sweep.next < sweep.end else { return nil }
    // The one in place is replaced below, so that the arrays of this one are changed where they are.
    self.sweep = nil
    defer { self.sweep = sweep }
    var part = sweep.kept
    sweep.kept = []
    let turn = sweep.next..<Swift.min(sweep.next + limit, sweep.end)
    for number in turn where !sweep.wasKept(number) { part.append((number, values[number])) }
    sweep.next = turn.upperBound
    return part
  }
}
