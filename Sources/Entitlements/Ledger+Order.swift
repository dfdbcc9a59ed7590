extension Ledger {
  /// Records by environment, then purchase date, then transaction id.
  package func inOrder(_ numbers: [RecordNumber]) -> [RecordNumber] {
    if numbers.count < 2 { return numbers }
    return numbers.map { records.place(of: $0) }.sorted().map(\.number)
  }
}

/// What decides where a record stands in a customer's history.
private struct HistoryPlace: Comparable {
  let number: RecordNumber
  let environment: Environment
  let purchaseDate: Moment
  let transactionID: Identifier

  static func < (one: HistoryPlace, other: HistoryPlace) -> Bool {
    if one.environment != other.environment { return one.environment.text < other.environment.text }
    if one.purchaseDate != other.purchaseDate { return one.purchaseDate < other.purchaseDate }
    return one.transactionID.isLesserTransactionID(than: other.transactionID)
  }
}

extension RecordStore {
  fileprivate func place(of number: RecordNumber) -> HistoryPlace {
    HistoryPlace(
      number: number, environment: environment(of: number), purchaseDate: packed(number).purchaseDate ?? .distantPast,
      transactionID: transactionID(of: number))
  }
}
