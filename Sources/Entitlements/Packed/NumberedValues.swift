/// Values by their numbers, which count from 0 and never change, with a sweep that gives all of them as of one moment.
package struct NumberedValues<Value: Sendable>: Sendable {
  private var values = ChunkedArray<Value>()
  /// Nil while no sweep is under way.
  private var sweep: Sweep<Value>?

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
      if sweep?.wouldKeep(number) == true { sweep?.keep(number, values[number]) }
      yield &values[number]
    }
  }
}

extension NumberedValues: Equatable where Value: Equatable {
  package static func == (one: NumberedValues, other: NumberedValues) -> Bool { one.values == other.values }
}

// MARK: - Sweeps

extension NumberedValues {
  /// Begins a sweep through all values as they are now. One that is under way ends.
  mutating func beginSweep() { sweep = Sweep(of: values.count) }

  /// Ends the sweep, wherever it is.
  mutating func endSweep() { sweep = nil }

  /// The next part of the sweep; nil when all were given, or none is under way.
  mutating func sweepOn(by limit: Int) -> [(number: Int, value: Value)]? { sweep?.goOn(by: limit) { values[$0] } }
}
