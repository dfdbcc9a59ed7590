/// Values by their keys, each made once. The same key mostly comes again at once, so that most cost one comparison, and a single one
/// no table.
struct Remembered<Key: Hashable, Value> {
  private var last: (key: Key, value: Value)?
  /// Those before the last one.
  private var others: [Key: Value] = [:]

  /// The value of a key, which is made where there is none.
  mutating func value(of key: Key, otherwise made: @autoclosure () -> Value) -> Value {
    if let last {
      if last.key == key { return last.value }
      others[last.key] = last.value
    }
    let value = others[key] ?? made()
    last = (key, value)
    return value
  }
}
