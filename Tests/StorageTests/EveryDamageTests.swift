import Glibc
import Journaling
import Platform
import TestSupport
import Testing

@testable import Storage

/// Whether every damage is tried, which takes minutes, or some that depend on a seed.
private let isExhaustive = unsafe getenv("LATCHKEY_EVERY_DAMAGE") != nil

/// Damaged bytes in the place of those that a store wrote: no start may give another state for the true one, and none may fall over.
///
/// `docs/durability.md` tells the two exceptions, which are allowed here exactly as they stand there, and no further.
struct EveryDamageTests {
  /// How a start on damaged files went, where it was right.
  private enum Ending: String, CaseIterable {
    case refused
    case warned = "warned of, no harm"
    case unharmed = "no harm"
    /// The last batch looks like an unfinished write, or the journal like one whose process was killed before.
    case excepted = "one of the two exceptions"
  }

  /// What a start must not do.
  private struct Fault: Error, CustomStringConvertible { let description: String }

  private static let seed: UInt64 = 11
  private static let sampleCount = 150

  @Test(
    "Whatever happens to the bytes of a store, a start refuses it by name or gives the state that was",
    arguments: SmallStore.Ending.allCases)
  func everyDamage(ending: SmallStore.Ending) throws {
    // What counts is bytes, not syncs, so that memory does as well as a disk.
    let memory = try Directory.exists("/dev/shm") ? "/dev/shm" : "/tmp"
    let directory = try TemporaryDirectory(in: memory)
    let store = try SmallStore(ending, seed: Self.seed, in: directory)
    var random = SeededRandom(seed: Self.seed)
    let damages = isExhaustive ? store.damages : Array(store.damages.shuffled(using: &random).prefix(Self.sampleCount))
    var counts: [Ending: Int] = [:]
    for damage in damages {
      guard let files = damage.applied(to: store.files) else { continue }
      do {
        let ended = try start(store, on: files, with: damage, in: directory.store)
        counts[ended, default: 0] += 1
      } catch {
        Issue.record("\(ending), \(damage): \(error)")
      }
    }
    let told = Ending.allCases.map { "\(counts[$0, default: 0]) \($0.rawValue)" }.joined(separator: "; ")
    if isExhaustive { print("\(ending): \(counts.values.reduce(0, +)) damages; \(told)") }
    #expect(counts[.refused, default: 0] > damages.count / 8, "damage that nobody notices proves nothing: \(told)")
    if ending == .noted { #expect(counts[.excepted] == nil) }
  }

  /// Starts a store on damaged files, and once more where that went well.
  private func start(
    _ store: SmallStore, on files: [String: [UInt8]], with damage: StoredDamage, in path: String
  ) throws -> Ending {
    try lay(files, in: path)
    switch open(path) {
    case .failure(let error):
      try checkRefusal(error)
      let kept = try StoredFiles(in: path).contents
      for (name, bytes) in files where !name.hasPrefix("manifest-") {
        guard kept[name] == bytes else { throw Fault(description: "the refused \(name) was changed") }
      }
      return .refused
    case .success(let opened):
      let ending = try judge(opened, of: store, with: damage)
      guard case .success(let again) = open(path), again.state == opened.state, again.warnings.isEmpty else {
        throw Fault(description: "the second start gives something else than the first")
      }
      return ending
    }
  }

  /// Throws unless the refusal says what is damaged, and where.
  private func checkRefusal(_ error: StoreError) throws(Fault) {
    switch error {
    case .journal(.damaged(let file, _, _)), .journal(.missing(let file)), .journal(.foreign(let file)),
      .journal(.incompatible(let file, _)):
      guard file.hasSuffix(".lk") else { throw Fault(description: "\(error)") }
    default: throw Fault(description: "refused, but as \(error)")
    }
  }

  private func judge(_ opened: Opened, of store: SmallStore, with damage: StoredDamage) throws(Fault) -> Ending {
    let isTorn = opened.warnings.contains { if case .tornTail = $0 { true } else { false } }
    if opened.state == store.states.last { return opened.warnings.isEmpty ? .unharmed : .warned }
    guard let held = store.states.lastIndex(of: opened.state), opened.state.revision >= store.completeRevision else {
      throw Fault(description: "revision \(opened.state.revision) with a state that never was, or before the complete one")
    }
    switch damage {
    case .flippedBit(store.lastSegment, let bit):
      guard store.ending == .unsealed, store.lastBatch.contains(bit / 8), isTorn, held == store.states.count - 2 else { break }
      return .excepted
    default:
      if damage.shortenedFile == store.lastSegment { return .excepted }
    }
    throw Fault(description: "revision \(opened.state.revision) instead of the last, with \(opened.warnings)")
  }

  // MARK: Files

  /// What a start gave.
  private struct Opened {
    let state: SmallStore.State
    let warnings: [RecoveryWarning]
  }

  private func open(_ path: String) -> Result<Opened, StoreError> {
    Result { () throws(StoreError) in
      let (journal, state, usages) = try EntitlementStore.recover(path, options: SmallStore.options)
      return Opened(state: SmallStore.State(state, usages: usages), warnings: journal.recovery.warnings)
    }
  }

  /// Makes a directory hold these files and nothing else.
  private func lay(_ files: [String: [UInt8]], in path: String) throws {
    TemporaryDirectory.remove(path)
    try Directory.create(path)
    for (name, bytes) in files { try write(bytes, to: "\(path)/\(name)") }
  }
}
