/// Numbers that differ, in the order in which they came: mostly one or a few, so that a table is made only of more.
struct DistinctNumbers<Number: Hashable> {
  private(set) var numbers: [Number] = []
  private var table: Set<Number> = []

  /// How many are searched one by one.
  private static var searchLimit: Int { 8 }

  /// Adds a number unless it is there.
  mutating func insert(_ number: Number) {
    if numbers.last == number { return }
    if numbers.count < DistinctNumbers.searchLimit {
      if !numbers.contains(number) { numbers.append(number) }
      return
    }
    if table.isEmpty { table = Set(numbers) }
    if table.insert(number).inserted { numbers.append(number) }
  }
}
