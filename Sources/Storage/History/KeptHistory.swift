import Entitlements
import Journaling
import LatchkeyWire

/// All that is kept of the past up to a revision, read from the disk as often as it takes.
struct KeptHistory {
  let store: EntitlementStore
  /// The revision of the snapshot that it begins with; 0: none.
  let base: UInt64
  let last: UInt64
  let turns: Turns

  /// Gives each entry of the snapshot, says when that was all, then gives each input after it with its revision and when it was recorded.
  ///
  /// - Throws: `.closed`, `.givenUp`, `.busy` where a snapshot removed what was being read, `.journal`, what the bodies throw.
  func read(
    entry: (StoredEntry) throws(StoreError) -> Void, endOfSnapshot: () -> Void = {},
    input: (UInt64, Moment, Input) throws(StoreError) -> Void
  ) throws(StoreError) {
    try check()
    do throws(JournalError) {
      try store.journal.readKept(
        from: base, through: last,
        snapshot: { reader in
          var blocks = BlockReader()
          while let block = try reader.next() {
            try check()
            for stored in try blocks.entries(in: block) { try entry(stored) }
          }
          endOfSnapshot()
        },
        record: { revision, bytes in
          if revision.isMultiple(of: 1_024) { try check() }
          let journaled = try JournaledInput.read(bytes)
          if let known = journaled.input { try input(revision, journaled.recordedAt, known) }
        })
    } catch .rejected(_, let error as StoreError) {
      throw error
    } catch .system(let error) where error.isMissingFile {
      throw .busy("a snapshot, which removed what was being read,")
    } catch {
      throw .journal(error)
    }
  }

  /// Throws `.closed` where the store closes, and `.givenUp` where nobody wants the past any more.
  func check() throws(StoreError) {
    if store.isClosing.load(ordering: .acquiring) { throw .closed }
    if turns.isGivenUp() { throw .givenUp }
  }

  /// How often it is read at most until nothing new hangs together with some customers, and how many ids that may be.
  private static let passLimit = 16
  private static let relatedLimit = 65_536

  /// What hangs together with some customers in all of it; nil where that is more than can be followed.
  func related(to customers: Set<CustomerID>) throws(StoreError) -> RelatedIDs? {
    var related = RelatedIDs(of: customers)
    for _ in 0..<KeptHistory.passLimit {
      let before = related.ids.count
      try read(
        entry: { entry in if let record = entry.record { related.follow(RelatedIDs.of(Record(record))) } },
        input: { _, _, input in if let ids = RelatedIDs.of(input) { related.follow(ids) } })
      if related.ids.count == before { return related }
      if related.ids.count > KeptHistory.relatedLimit { return nil }
    }
    return nil
  }
}
