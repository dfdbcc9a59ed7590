/// Numbers that differ, in the order in which they came: mostly one or a few, so that a table is made only of more.
struct DistinctNumbers<Number: Hashable> {
  private(set) var numbers: [Number] = []
  private var table: Set<Number> = []

  /// How many are searched one by one.
  private static var searchLimit: Int { 8 }

  /// Adds a number unless it is there; says whether it wasn't.
  @discardableResult
  mutating func insert(_ number: Number) -> Bool {
    if numbers.last == number || !isNew(number) { return false }
    numbers.append(number)
    return true
  }

  /// Whether a number is there.
  func contains(_ number: Number) -> Bool {
    numbers.last == number || (table.isEmpty ? numbers.contains(number) : table.contains(number))
  }

  private mutating func isNew(_ number: Number) -> Bool {
    if numbers.count < DistinctNumbers.searchLimit { return !numbers.contains(number) }
    if table.isEmpty { table = Set(numbers) }
    return table.insert(number).inserted
  }
}
