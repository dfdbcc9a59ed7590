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
  /// - Throws: `.closed`, `.givenUp`, `.busy` where a snapshot removed what was being read, `.journal`.
  func read(
    entry: (StoredEntry) -> Void, endOfSnapshot: () -> Void = {}, input: (UInt64, Moment, Input) -> Void
  ) throws(StoreError) {
    try check()
    do throws(JournalError) {
      try store.journal.readKept(
        from: base, through: last,
        snapshot: { reader in
          var blocks = BlockReader()
          while let block = try reader.next() {
            try check()
            for stored in try blocks.entries(in: block) { entry(stored) }
          }
          endOfSnapshot()
        },
        record: { revision, bytes in
          if revision.isMultiple(of: 1_024) { try check() }
          let stored = try StoredInput(decoding: bytes, elementLimit: .max)
          if let known = stored.input { input(revision, Moment(milliseconds: stored.recordedAtMilliseconds), known) }
        })
    } catch .rejected(_, let error as StoreError) {
      throw error
    } catch .system(let error) where error.isMissingFile {
      throw .busy("a snapshot, which removed what was being read,")
    } catch {
      throw .journal(error)
    }
  }

  private func check() throws(StoreError) {
    if store.isClosing.load(ordering: .acquiring) { throw .closed }
    if turns.isGivenUp() { throw .givenUp }
  }
}
