/// The number of a record in the ledger. It never changes while the ledger lives.
package typealias RecordNumber = Int

/// The transactions of one environment that share an original transaction id, with what is known of them together.
package struct Lineage: Hashable, Sendable {
  package var records: [RecordNumber] = []
  /// The number of its renewal state in the ledger, where it has one.
  package var renewalInfoNumber: Int?
  /// The records with which a caller named this lineage as the purchase behind them.
  package var linkedRecords: [RecordNumber] = []

  package init() {}
}
