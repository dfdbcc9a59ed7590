/// The records of a snapshot on their way back into a ledger. They come in any order; their numbers say which is the right one.
///
/// The numbers themselves are not given again: those of records of which nothing remained are closed up.
package struct RestoredRecords: Sendable {
  private var numbers: [RecordNumber] = []
  /// Whether each came behind all that came before it.
  private var isInOrder = true

  package init() {}

  /// Puts a record into a ledger; what hangs together with it is known when all are there.
  ///
  /// - Parameter number: in the ledger that it comes from; nil: behind the one before.
  /// - Returns: its traits, with which others may come until all are there.
  /// - Precondition: the ledger has no other records.
  @discardableResult
  package mutating func add(_ record: Record, number: RecordNumber? = nil, to ledger: inout Ledger) -> KnownTraits {
    note(number, &ledger)
    ledger.records.packed.append(ledger.records.pack(record))
    return ledger.records.knownTraits(of: numbers.count - 1)
  }

  /// Puts a record into a ledger that has the traits of one that came before it.
  package mutating func add(_ parts: borrowing RecordParts, _ traits: KnownTraits, number: RecordNumber?, to ledger: inout Ledger)
  {
    note(number, &ledger)
    ledger.records.packed.append(ledger.records.pack(parts, traits))
  }

  private mutating func note(_ number: RecordNumber?, _ ledger: inout Ledger) {
    precondition(ledger.records.count == numbers.count, "records are restored before any is recorded")
    let last = numbers.last ?? -1
    numbers.append(number ?? last + 1)
    if let number, number <= last { isInOrder = false }
  }

  /// Says that all are there.
  ///
  /// - Precondition: there is one of a transaction.
  package mutating func finish(_ ledger: inout Ledger) {
    if !isInOrder { ledger.records.arrange(by: numbers.indices.sorted { numbers[$0] < numbers[$1] }) }
    ledger.records.addAllToIndexes()
    self = RestoredRecords()
  }
}
