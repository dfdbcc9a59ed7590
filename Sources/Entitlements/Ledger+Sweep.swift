// The ledger as of one moment, part by part, while recordings go on: what a snapshot is made of.

extension Ledger {
  /// Begins a sweep through records and renewal infos as they are now. One that is under way ends.
  package mutating func beginSweep() {
    records.beginSweep()
    renewalInfos.beginSweep()
  }

  /// The next part of the records: as they were when the sweep began, each once, not in the order of their numbers.
  ///
  /// Those of which nothing remains are left out, so that a part can be empty.
  /// - Parameter limit: how many records the sweep goes on by. What changed since the part before comes on top.
  /// - Returns: nil when all were given.
  package mutating func sweepRecords(by limit: Int) -> [(number: RecordNumber, record: Record)]? {
    guard let part = records.sweepOn(by: limit) else { return nil }
    return part.compactMap { number, record in record.isBlank ? nil : (number, record) }
  }

  /// The next part of the renewal infos, in the same manner.
  package mutating func sweepRenewalInfos(by limit: Int) -> [RenewalInfo]? {
    guard let part = renewalInfos.sweepOn(by: limit) else { return nil }
    return part.compactMap(\.value)
  }

  /// Ends the sweep, wherever it is.
  package mutating func endSweep() {
    records.endSweep()
    renewalInfos.endSweep()
  }
}
