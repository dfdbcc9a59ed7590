import Entitlements

/// The state that the entries of a snapshot give back.
package struct RestoredSnapshot {
  package private(set) var state = StoreState()
  /// What was counted until the snapshot.
  private(set) var usages: [StoredUsage] = []
  private(set) var digest = StateDigest()
  private(set) var entryCount = 0
  private var records = RestoredRecords()
  private var metTraits = MetTraits()

  /// Begins without any entry.
  package init() {}

  /// Takes an entry: nearly all are records, and of those nearly all have traits that were met before.
  ///
  /// - Throws: `MalformedMessage`, or `UnreadableState` where this version doesn't know what it is.
  package mutating func restore(_ bytes: RawSpan) throws {
    entryCount += 1
    guard let fields = RecordFields(entry: bytes) else { return try restore(StoredEntry(entry: bytes)) }
    digest.add(bytes.extracting(fields.digested))
    guard let traits = metTraits.traits(of: fields, in: bytes) else {
      let entry = try StoredEntry(entry: bytes)
      guard let record = entry.record else { preconditionFailure("what was read as a record is one") }
      return metTraits.keep(records.add(Record(record), number: entry.recordNumber, to: &state.ledger))
    }
    records.add(RecordParts.of(fields, in: bytes), traits, number: fields.number, to: &state.ledger)
  }

  private mutating func restore(_ entry: StoredEntry) throws {
    // Counts are no part of the state, which the digest is of.
    if let usage = entry.usage { return usages.append(usage) }
    if let late = entry.lateChecks { return state.lateChecks[late.key] = late.count }
    digest.add(entry)
    guard state.ledger.restore(entry, &records) else {
      throw UnreadableState(what: "an entry of a kind that this version doesn't know", needsNewerVersion: true)
    }
  }

  /// Says that all entries were taken, and of which revision they are.
  package mutating func finish(revision: UInt64) {
    records.finish(&state.ledger)
    state.revision = revision
  }
}
