/// The records of a snapshot on their way back into a ledger. They come in any order; their numbers say which is the right one.
///
/// The numbers themselves are not given again: those of records of which nothing remained are closed up.
package struct RestoredRecords: Sendable {
  private var records: [Record] = []
  private var numbers: [RecordNumber] = []

  package init() {}

  /// Takes a record.
  /// - Parameter number: in the ledger that it comes from; nil: behind the one before.
  package mutating func add(_ record: Record, number: RecordNumber? = nil) {
    records.append(record)
    numbers.append(number ?? (numbers.last ?? -1) + 1)
  }

  /// All of them in the order of their numbers, for `Ledger.restore`. None are left.
  package mutating func takeInOrder() -> [Record] {
    let numbers = numbers
    records.arrange(by: numbers.indices.sorted { numbers[$0] < numbers[$1] })
    defer { self = RestoredRecords() }
    return records
  }
}

extension Array {
  /// Puts the elements into an order, where they are: a copy of all records would take as much memory as they do.
  ///
  /// - Parameter order: the index at which the element of each index is to be found; each index once.
  fileprivate mutating func arrange(by order: [Int]) {
    var order = order
    for start in order.indices {
      var hole = start
      while order[hole] != start {
        let source = order[hole]
        swapAt(hole, source)
        order[hole] = hole
        hole = source
      }
      order[hole] = hole
    }
  }
}
