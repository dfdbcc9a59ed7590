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
  ///   - cutLimit: how many customers the catalog may cut at once, compared with the one that the journal holds.
  ///   - watching: how much is kept for watchers.
  ///   - clock: the wall clock by which publications and what time alone changes are told, in milliseconds since 1970.
  ///   - keptJournalDays: how long journal and snapshots are kept beyond what a start needs.
  ///   - progress: told in words what is being done.
  ///   - onFailure: called once when a write or sync failed: the process is to stop. It comes on the recorder's thread, for which
  ///     `close` would wait in vain.
  /// - Throws: `StoreError`; each says what to do.
  package static func open(
    _ directory: String, settings: Settings, catalog: Catalog? = nil, cutLimit: CutLimit = .none,
    keptJournalDays: Int64 = 0, options: JournalOptions? = nil, watching: WatchLimits = WatchLimits(),
    clock: @escaping @Sendable () -> Int64 = { Clock.wallMilliseconds() }, progress: (String) -> Void = { _ in },
    onFailure: @escaping @Sendable (JournalError) -> Void
  ) throws(StoreError) -> EntitlementStore {
    var (journal, state, usages) = try recover(
      directory, options: options ?? JournalOptions(keptSeconds: keptJournalDays * 86_400), progress)
    do throws(JournalError) { try checkEnvironment(settings, against: state) } catch { throw .journal(error) }
    if let catalog { try checkCatalog(catalog, limit: cutLimit, against: state, settings: settings) }
    do throws(JournalError) {
      try configure(&state, journal: journal, settings: settings, catalog: catalog, at: Moment(milliseconds: clock()))
      let cache = EntitlementCache()
      var publication = Publication(cache: cache, log: nil, revision: state.revision)
      var pace = Pace()
      publication.foldEveryone(in: &state) { if pace.isDue() { progress("folded \($0) customers") } }
      publication.publish()
      for usage in usages { cache.addWhileWriting(usage) }
      do throws(SystemError) {
        let publications = PublicationLog(revision: state.revision, limits: watching, clock: clock)
        let store = try EntitlementStore(
          journal: journal, state: state, cache: cache, publications: publications, onFailure: onFailure)
        store.checksInSnapshot.store(usages.reduce(0) { $0 + $1.checks }, ordering: .releasing)
        // Reading the state back took more than keeping it does.
        Allocator.giveBack()
        return store
      } catch {
        throw .system(error)
      }
    } catch {
      throw .journal(error)
    }
  }

  /// Opens the directory, and reads the state back from it.
  static func recover(
    _ directory: String, options: JournalOptions, _ progress: (String) -> Void = { _ in }
  ) throws(StoreError) -> (Journal, StoreState, [StoredUsage]) {
    do throws(JournalError) {
      let recovery = Recovering()
      let journal = try JournalDirectory.open(directory, options: options).recover(
        snapshot: { reader in
          try recovery.load(&reader) { if recovery.pace.isDue() { progress("loaded \($0) entries of the snapshot") } }
        },
        record: { revision, bytes in
          try recovery.replay(revision, bytes)
          if recovery.pace.isDue() { progress("replayed the journal to revision \(revision)") }
        },
        digest: { StateDigest(of: recovery.state.ledger).value },
        progress: {
          progress("replayed \($0.segmentsDone) of \($0.segmentsTotal) journal segments, to revision \($0.lastRevision)")
        })
      return (journal, recovery.state, recovery.usages)
    } catch {
      throw .journal(error)
    }
  }

  /// Refuses another environment than that of what is held.
  private static func checkEnvironment(_ settings: Settings, against state: StoreState) throws(JournalError) {
    guard state.ledger.records.isEmpty || settings.environment == state.ledger.settings.environment else {
      throw .rejected(
        place: "the setting environment",
        SettingConflict(held: state.ledger.settings.environment, asked: settings.environment))
    }
  }

  /// Refuses a catalog that would cut more customers than the limit allows, compared with the journal's under the same settings.
  private static func checkCatalog(
    _ catalog: Catalog, limit: CutLimit, against state: StoreState, settings: Settings
  ) throws(StoreError) {
    guard limit != .none, catalog != state.ledger.catalog else { return }
    var ledger = state.ledger
    ledger.replace(settings: settings)
    var difference = CatalogDifference()
    let now = Moment(milliseconds: Clock.wallMilliseconds())
    for customer in ledger.everyone { difference.add(customer, of: ledger, with: catalog, at: now) }
    guard limit.allows(difference) else { throw .catalogRefused(CatalogRefusal(difference, limit: limit)) }
  }

  /// Journals the settings and the catalog where they differ from what the journal holds.
  private static func configure(
    _ state: inout StoreState, journal: Journal, settings: Settings, catalog: Catalog?, at now: Moment
  ) throws(JournalError) {
    var inputs = [Input.settings(settings).normalForm]
    if let catalog { inputs.append(Input.catalog(catalog).normalForm) }
    // Neither settings nor a catalog are ever refused.
    inputs.removeAll { input in (try? state.resultOfNothing(input)) != nil }
    guard !inputs.isEmpty else { return }
    _ = try journal.append(inputs.map { StoredInput($0, recordedAt: now).record })
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
