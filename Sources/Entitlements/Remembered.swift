/// Values by their keys, each made once. The same key mostly comes again at once, and most often there are few: a single one needs no
/// list, and only more than eight a table.
struct Remembered<Key: Hashable, Value> {
  private var last: (key: Key, value: Value)?
  /// Whether the last one stands among the others, too.
  private var isLastKept = false
  /// Those before the last one.
  private var others: [(key: Key, value: Value)] = []
  /// Where each of them stands, once there are many.
  private var places: [Key: Int] = [:]

  /// How many are searched one by one.
  private static var searchLimit: Int { 8 }

  /// How many keys have a value.
  var count: Int { others.count + (last == nil || isLastKept ? 0 : 1) }

  /// The value of a key; nil where there is none yet.
  @inline(__always)
  mutating func find(_ key: Key) -> Value? {
    if let last, last.key == key { return last.value }
    return findAmongOthers(key)
  }

  private mutating func findAmongOthers(_ key: Key) -> Value? {
    guard let place = place(of: key) else { return nil }
    keepLast()
    (last, isLastKept) = (others[place], true)
    return others[place].value
  }

  /// Remembers the value of a key that has none yet.
  mutating func keep(_ value: Value, of key: Key) {
    keepLast()
    (last, isLastKept) = ((key, value), false)
  }

  /// The value of a key, which is made where there is none.
  mutating func value(of key: Key, otherwise made: @autoclosure () -> Value) -> Value {
    if let known = find(key) { return known }
    let value = made()
    keep(value, of: key)
    return value
  }

  /// Forgets all of them, and keeps the room.
  mutating func forget() {
    (last, isLastKept) = (nil, false)
    if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    if !places.isEmpty { places.removeAll(keepingCapacity: true) }
  }

  private mutating func keepLast() {
    guard let last, !isLastKept else { return }
    if others.count == Remembered.searchLimit {
      for (place, other) in others.enumerated() { places[other.key] = place }
    }
    if others.count >= Remembered.searchLimit { places[last.key] = others.count }
    others.append(last)
  }

  private func place(of key: Key) -> Int? {
    others.count > Remembered.searchLimit ? places[key] : others.firstIndex { $0.key == key }
  }
}

extension Remembered: Sendable where Key: Sendable, Value: Sendable {}
