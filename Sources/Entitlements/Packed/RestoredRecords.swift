/// The records of a snapshot on their way back into a ledger. They come in any order; their numbers say which is the right one.
///
/// The numbers themselves are not given again: those of records of which nothing remained are closed up.
package struct RestoredRecords: Sendable {
  private var numbers: [RecordNumber] = []

  package init() {}

  /// Puts a record into a ledger; what hangs together with it is known when all are there.
  ///
  /// - Parameter number: in the ledger that it comes from; nil: behind the one before.
  /// - Precondition: the ledger has no other records.
  package mutating func add(_ record: Record, number: RecordNumber? = nil, to ledger: inout Ledger) {
    let place = ledger.records.appendWithoutIndexes(record)
    precondition(place == numbers.count, "records are restored before any is recorded")
    numbers.append(number ?? (numbers.last ?? -1) + 1)
  }

  /// Says that all are there.
  ///
  /// - Precondition: there is one of a transaction.
  package mutating func finish(_ ledger: inout Ledger) {
    ledger.records.arrange(by: numbers.indices.sorted { numbers[$0] < numbers[$1] })
    self = RestoredRecords()
  }
}
