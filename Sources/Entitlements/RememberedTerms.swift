/// What decides of records besides their moments, with the list of what they grant, by their traits: remembered for as long as numbers
/// of traits and the catalog mean the same.
struct RememberedTerms: Sendable {
  struct Known {
    let terms: RecordTerms
    /// The number of the list of what they grant.
    let list: Int
  }

  private struct Entry {
    var known: Known
    /// In which time it was read.
    var time: Int
  }

  private var edition: Edition?
  /// What was read in an earlier time counts no more.
  private var time = 0
  /// By the number of the traits, those of records without an expiry before those of records with one.
  private var entries: [Entry?] = []

  /// Forgets everything where a number of traits may mean something else now, or the lists do.
  mutating func begin(with edition: Edition, areListsVoid: Bool) {
    if self.edition === edition, !areListsVoid { return }
    self.edition = edition
    time += 1
  }

  /// What decides of a record.
  @inline(__always)
  mutating func terms(of record: PackedRecord, in ledger: Ledger, _ lists: inout GrantedLists) -> Known {
    let place = record.traits << 1 | (record.expiresDate == nil ? 0 : 1)
    if place < entries.count, let entry = entries[place], entry.time == time { return entry.known }
    return read(record, at: place, in: ledger, &lists)
  }

  private mutating func read(
    _ record: PackedRecord, at place: Int, in ledger: Ledger, _ lists: inout GrantedLists
  ) -> Known {
    let list = lists.number(ofProduct: ledger.records.traits[record.traits].productID, in: ledger.catalog)
    let known = Known(terms: ledger.terms(of: record), list: list)
    while entries.count <= place { entries.append(nil) }
    entries[place] = Entry(known: known, time: time)
    return known
  }
}
