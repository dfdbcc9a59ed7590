import Entitlements
import Journaling
import LatchkeyWire
import Platform

extension EntitlementStore {
  /// Opens the store in a directory, or makes one where the directory is missing or empty: loads the newest snapshot, replays the
  /// journal after it, and folds everyone.
  ///
  /// Settings and catalog that differ from those in the journal are journaled before anything else.
  ///
  /// - Parameters:
  ///   - catalog: nil leaves the one that the journal holds.
  ///   - progress: told in words what is being done.
  ///   - onFailure: called once when a write or sync failed: the process is to stop. It comes on the recorder's thread, for which
  ///     `close` would wait in vain.
  /// - Throws: `StoreError`; each says what to do.
  package static func open(
    _ directory: String, settings: Settings, catalog: Catalog? = nil, options: JournalOptions = JournalOptions(),
    progress: (String) -> Void = { _ in }, onFailure: @escaping @Sendable (JournalError) -> Void
  ) throws(StoreError) -> EntitlementStore {
    do throws(JournalError) {
      let opened = try JournalDirectory.open(directory, options: options)
      let recovery = Recovering()
      let journal = try opened.recover(
        snapshot: { reader in try recovery.load(&reader) },
        record: { revision, bytes in try recovery.replay(revision, bytes) },
        progress: {
          progress("replayed \($0.segmentsDone) of \($0.segmentsTotal) journal segments, to revision \($0.lastRevision)")
        })
      var state = recovery.state
      try configure(&state, journal: journal, settings: settings, catalog: catalog)
      let cache = EntitlementCache()
      var publication = Publication(cache: cache, revision: state.revision)
      publication.foldEveryone(in: state.ledger)
      publication.publish()
      for usage in recovery.usages { cache.addWhileWriting(usage) }
      do throws(SystemError) {
        let store = try EntitlementStore(journal: journal, state: state, cache: cache, onFailure: onFailure)
        store.checksInSnapshot.store(recovery.usages.reduce(0) { $0 + $1.checks }, ordering: .releasing)
        return store
      } catch {
        throw .system(error)
      }
    } catch {
      throw .journal(error)
    }
  }

  /// Journals the settings and the catalog where they differ from what the journal holds.
  private static func configure(
    _ state: inout StoreState, journal: Journal, settings: Settings, catalog: Catalog?
  ) throws(JournalError) {
    guard state.ledger.records.isEmpty || settings.environment == state.ledger.settings.environment else {
      throw .rejected(
        place: "the setting environment",
        SettingConflict(held: state.ledger.settings.environment, asked: settings.environment))
    }
    var inputs = [Input.settings(settings).normalForm]
    if let catalog { inputs.append(Input.catalog(catalog).normalForm) }
    // Neither settings nor a catalog are ever refused.
    inputs.removeAll { input in (try? state.resultOfNothing(input)) != nil }
    guard !inputs.isEmpty else { return }
    _ = try journal.append(inputs.map { StoredInput($0).encoded() })
    for input in inputs { _ = try? state.apply(input) }
  }
}

/// A store keeps to one environment: what it holds was recorded under it.
private struct SettingConflict: Error, CustomStringConvertible {
  var held: Entitlements.Environment
  var asked: Entitlements.Environment

  var description: String {
    "this data directory holds \(held.text) transactions. Start with --environment \(held.text), or with another data directory "
      + "for \(asked.text)"
  }
}

/// The state as it is read back from the disk.
private final class Recovering {
  var state = StoreState()
  /// What was counted until the snapshot.
  private(set) var usages: [StoredUsage] = []
  private var digest = StateDigest()

  /// Takes the state from a snapshot, and compares its digest.
  func load(_ reader: inout SnapshotReader) throws {
    var blocks = BlockReader()
    while let block = try reader.next() {
      for entry in try blocks.entries(in: block) {
        try restore(entry)
      }
    }
    guard !blocks.isIncomplete else { throw UnreadableState(what: "the snapshot's last block goes on, and there is no other") }
    guard digest.value == reader.digest else { throw UnreadableState(what: "the snapshot's digest isn't that of what it holds") }
    state.revision = reader.revision
  }

  private func restore(_ entry: StoredEntry) throws {
    // Counts are no part of the state, which the digest is of.
    if let usage = entry.usage { return usages.append(usage) }
    if let late = entry.lateChecks { return state.lateChecks[late.key] = late.count }
    digest.add(entry)
    if let settings = entry.settings {
      state.ledger.replace(settings: Settings(settings))
    } else if let catalog = entry.catalog {
      state.ledger.replace(catalog: Catalog(catalog))
    } else if let record = entry.record {
      state.ledger.restore(Record(record))
    } else if let info = entry.renewalInfo {
      state.ledger.restore(Entitlements.RenewalInfo(info))
    } else {
      throw UnreadableState(what: "an entry of a kind that this version doesn't know")
    }
  }

  /// Applies one input of the journal.
  func replay(_ revision: UInt64, _ bytes: RawSpan) throws {
    guard let input = try StoredInput(decoding: bytes, elementLimit: .max).input else {
      throw UnreadableState(what: "an input of a kind that this version doesn't know")
    }
    // What was refused when it was recorded is refused again, and changes nothing.
    _ = try? state.apply(input)
    precondition(state.revision == revision, "each record of the journal is one revision")
  }
}

/// Stored bytes that are whole, but mean nothing to this version.
private struct UnreadableState: Error, CustomStringConvertible {
  var what: String
  var description: String { what + "; start the version that wrote it, or a later one" }
}
