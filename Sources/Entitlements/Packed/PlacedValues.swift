/// Values in places, of which those that were given up are given again.
struct PlacedValues<Value: Sendable>: Sendable {
  private var values = ChunkedArray<Value>()
  /// The places that were given up.
  private var waiting: [UInt32] = []

  /// The places that were ever given, those that were given up included.
  var places: Range<Int> { 0..<values.count }

  /// Keeps a value, and gives its place.
  mutating func keep(_ value: Value) -> Int {
    if let place = waiting.popLast() {
      values[Int(place)] = value
      return Int(place)
    }
    values.append(value)
    return values.count - 1
  }

  /// Gives a place up, in which a value stands that holds nothing until another one comes.
  mutating func giveUp(_ place: Int, leaving empty: Value) {
    values[place] = empty
    waiting.append(UInt32(place))
  }

  subscript(place: Int) -> Value {
    _read { yield values[place] }
    _modify { yield &values[place] }
  }
}
