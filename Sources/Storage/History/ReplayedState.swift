import Entitlements

/// A state that is built again from kept history, beside the one that answers: of everyone, or of what hangs together alone.
struct ReplayedState {
  private var state = StoreState()
  /// Nil: everyone.
  private let related: RelatedIDs?
  /// Of the snapshot, until all of it was read.
  private var records = RestoredRecords()

  init(of related: RelatedIDs?) { self.related = related }

  var ledger: Ledger { state.ledger }

  /// Takes an entry of a snapshot, if it concerns the state. What was counted doesn't.
  mutating func restore(_ entry: StoredEntry) {
    guard isConcerned(by: entry) else { return }
    _ = state.ledger.restore(entry, &records)
  }

  /// Says that the snapshot was read.
  mutating func endRestoring() { records.finish(&state.ledger) }

  /// Whether applying an input may change something here.
  func isConcerned(by input: Input) -> Bool { related == nil || RelatedIDs.of(input).map { isConcerned(by: $0) } ?? true }

  private func isConcerned(by entry: StoredEntry) -> Bool {
    related == nil || RelatedIDs.of(entry).map { isConcerned(by: $0) } ?? true
  }

  private func isConcerned(by ids: Set<RelatedIDs.ID>) -> Bool { related?.contains(any: ids) ?? true }

  /// Applies an input of the journal, and says what came of it; nil where it changed nothing here.
  @discardableResult
  mutating func apply(_ input: Input) -> Recorded? {
    guard isConcerned(by: input) else { return nil }
    // What was refused when it was recorded is refused again, and changes nothing.
    return try? state.apply(input)
  }
}
