import Entitlements
import Journaling
import Platform
import Protobuf
import TestSupport

@testable import Storage

/// A store of a few kilobytes, for tests that damage each of its bytes: three segments in use, two snapshots, two manifests.
///
/// Its bytes depend on nothing but how it ended and the seed.
struct SmallStore {
  /// How the process ended that wrote the store.
  enum Ending: CaseIterable {
    /// Long after its last recording: the end of the journal is sealed, and the manifest notes that it is complete.
    case noted
    /// Just after it sealed the journal.
    case sealed
    /// In the midst of recording.
    case unsealed
  }

  /// What a start gives of a store.
  struct State: Equatable {
    let revision: UInt64
    let digest: UInt64
    let usages: [StoredUsage]
    let lateChecks: [ScopedID: Entitlements.CheckCount]

    init(_ state: StoreState, usages: [StoredUsage]) {
      revision = state.revision
      digest = StateDigest(of: state.ledger).value
      self.usages = usages
      lateChecks = state.lateChecks
    }
  }

  let ending: Ending
  let files: [String: [UInt8]]
  /// What it held after each batch, the last one last.
  private(set) var states: [State] = []
  /// Up to which revision the manifest says that the journal was complete.
  let completeRevision: UInt64
  /// The bytes of the last batch, in the last segment.
  let lastBatch: Range<Int>

  static let options = JournalOptions(segmentBytes: 2048)
  private static let usages = [StoredUsage("anna", [("pro", GoldenStore.usage)])]
  private static let batchCount = 26
  /// After which batches a snapshot is taken: late enough that the first segments are needless.
  private static let snapshotBatches = [14, 20]

  init(_ ending: Ending, seed: UInt64, in directory: borrowing TemporaryDirectory) throws {
    self.ending = ending
    let path = directory.store
    defer { TemporaryDirectory.remove(path) }
    var history = RandomHistory(seed: seed)
    var state = StoreState()
    state.lateChecks = [GoldenStore.late.transaction: GoldenStore.late.count]
    var before = StoredFiles()
    let (journal, _, _) = try EntitlementStore.recover(path, options: SmallStore.options(seed: seed))
    for batch in 1...SmallStore.batchCount {
      if batch == SmallStore.batchCount { before = try StoredFiles(in: path) }
      try SmallStore.append(history.any([1, 1, 2]), of: &history, to: journal, &state)
      states.append(State(state, usages: SmallStore.usages))
      if SmallStore.snapshotBatches.contains(batch) { try SmallStore.writeSnapshot(of: state, to: journal) }
    }
    lastBatch = try SmallStore.difference(before, StoredFiles(in: path))
    if ending != .unsealed { try journal.seal() }
    if ending == .noted { try journal.noteComplete() }
    completeRevision = journal.completeRevision
    files = try StoredFiles(in: path).contents.filter { $0.key.hasSuffix(".lk") }
  }

  /// The segment to which was written last.
  var lastSegment: String { files.keys.filter { $0.hasPrefix("journal-") }.max() ?? "" }

  /// Every damage to it.
  var damages: [StoredDamage] {
    files.sorted { $0.key < $1.key }.flatMap { StoredDamage.all(ofBytesIn: $0.key, count: $0.value.count) }
      + StoredDamage.all(ofFiles: files.keys.sorted())
  }

  // MARK: Writing

  private static func options(seed: UInt64) -> JournalOptions {
    let random = Guarded(SeededRandom(seed: seed))
    return JournalOptions(
      segmentBytes: options.segmentBytes, randomNumber: { random.withLock { .random(in: 1 ... .max, using: &$0) } })
  }

  /// Appends a batch of the next inputs, and applies them.
  private static func append(
    _ count: Int, of history: inout RandomHistory, to journal: Journal, _ state: inout StoreState
  ) throws {
    let inputs = (0..<count).map { _ in history.input().normalForm }
    _ = try journal.append(inputs.map { StoredInput($0, recordedAt: day(1)).encoded() })
    // What is refused changes nothing but the revision.
    for input in inputs { _ = try? state.apply(input) }
  }

  /// Writes a snapshot in several blocks, of which one holds counts.
  private static func writeSnapshot(of state: StoreState, to journal: Journal) throws {
    let counts: [StoredEntry] =
      usages.map { usage in .with { $0.usage = usage } }
      + state.lateChecks.map { key, count in .with { $0.lateChecks = StoredLateChecks(key, count) } }
    let entries = Array(SnapshotEntries(of: state.ledger))
    try journal.writeSnapshot(revision: state.revision) { writer in
      for start in stride(from: 0, to: entries.count, by: 4) {
        try writer.write(StoredBlock.with { $0.entries = Array(entries[start..<min(start + 4, entries.count)]) }.encoded().span)
      }
      try writer.write(StoredBlock.with { $0.entries = counts }.encoded().span)
      return StateDigest(of: state.ledger).value
    }
  }

  /// Where the newest segment differs from what it was, in whole frames, whose lengths are multiples of 8.
  private static func difference(_ before: StoredFiles, _ after: StoredFiles) throws -> Range<Int> {
    let name = after.names("journal-").last ?? ""
    let (old, new) = (before.contents[name, default: []], after.contents[name, default: []])
    let changed = zip(old, new).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
    guard let first = changed.first, let last = changed.last else { throw NoSuchStore() }
    return first / 8 * 8..<(last / 8 + 1) * 8
  }

  /// The last batch began a segment of its own, so that this seed doesn't give what the tests need.
  private struct NoSuchStore: Error {}
}
