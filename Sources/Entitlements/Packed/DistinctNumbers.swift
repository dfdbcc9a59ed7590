/// Numbers that differ, in the order in which they came: mostly one, so that a list is made only of more, and a table of many.
struct DistinctNumbers<Number: Hashable> {
  private var first: Number?
  private var others: [Number] = []
  private var table: Set<Number> = []

  /// How many are searched one by one.
  private static var searchLimit: Int { 8 }

  var count: Int { first == nil ? 0 : others.count + 1 }

  /// All of them, in the order in which they came.
  var numbers: [Number] {
    guard let first else { return [] }
    return others.isEmpty ? [first] : [first] + others
  }

  /// Gives each, in the order in which they came, without making a list of them.
  func forEach(_ body: (Number) -> Void) {
    guard let first else { return }
    body(first)
    others.forEach(body)
  }

  /// Adds a number unless it is there; says whether it wasn't.
  @discardableResult
  mutating func insert(_ number: Number) -> Bool {
    guard let first else {
      first = number
      return true
    }
    if number == first || others.last == number || !isNew(number) { return false }
    others.append(number)
    return true
  }

  /// Whether a number is there.
  func contains(_ number: Number) -> Bool {
    number == first || (table.isEmpty ? others.contains(number) : table.contains(number))
  }

  private mutating func isNew(_ number: Number) -> Bool {
    if others.count < DistinctNumbers.searchLimit { return !others.contains(number) }
    if table.isEmpty { table = Set(others) }
    return table.insert(number).inserted
  }
}
