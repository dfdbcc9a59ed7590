import Entitlements

/// The ledger with the revision that it includes.
package struct StoreState: Sendable {
  package internal(set) var ledger: Ledger
  var revision: UInt64 = 0
  /// The checks that were allowed between a revocation and its recording. Best effort: snapshots keep them, the journal doesn't.
  var lateChecks: [ScopedID: CheckCount] = [:]
  /// How many bytes of inputs the journal holds that the newest snapshot doesn't.
  var bytesSinceSnapshot: UInt64 = 0

  /// Folds customers and compiles their answers, whoever holds the state.
  var writer = AccessBlockWriter()

  init(ledger: Ledger = Ledger()) { self.ledger = ledger }

  /// Applies an input that is in the journal: the only way in which the state changes.
  ///
  /// - Throws: `Refusal` where the input is against the rules; it then changed nothing but the revision.
  mutating func apply(_ input: Input) throws(Refusal) -> Recorded {
    revision += 1
    switch input {
    case .recording(let recording):
      return try ledger.record(recording)
    case .granting(let granting):
      return try ledger.grant(granting)
    case .erasure(let erasure):
      let recorded = try ledger.erase(erasure)
      lateChecks = lateChecks.filter { ledger.number(of: $0.key) != nil }
      return recorded
    case .move(let move):
      return try ledger.move(move)
    case .restoration(let piece):
      return try ledger.restore(piece)
    case .settings(let settings):
      ledger.replace(settings: settings)
    case .catalog(let catalog):
      ledger.replace(catalog: catalog)
    }
    return Recorded(outcome: .applied)
  }

  /// Applies the recording of one transaction where it comes to nothing but a record, whose parts and traits these are; says whether
  /// it does, and changes nothing where it doesn't.
  mutating func applyPlainly(_ parts: consuming RecordParts, _ traits: KnownTraits) -> Bool {
    guard ledger.recordPlainly(parts, traits) else { return false }
    revision += 1
    return true
  }

  /// What applying an input would result in, if the state already proves that it changes nothing; nil if it may change something.
  ///
  /// - Throws: `Refusal` where `apply` would throw it.
  mutating func resultOfNothing(_ input: Input) throws(Refusal) -> Recorded? {
    switch input {
    case .recording(let recording):
      return try ledger.changes(by: recording) ? nil : try ledger.record(recording)
    case .granting(let granting):
      return try ledger.changes(by: granting) ? nil : try ledger.grant(granting)
    case .restoration(let piece):
      return try ledger.changes(by: piece) ? nil : Recorded(outcome: .duplicate)
    case .settings(let settings):
      return settings == ledger.settings ? Recorded(outcome: .duplicate) : nil
    case .erasure(let erasure):
      _ = try ledger.held(by: erasure.customer, named: "customer_id")
      return nil
    case .move(let move):
      _ = try ledger.held(by: move.from, named: "from_customer_id")
      return nil
    case .catalog(let catalog):
      return catalog == ledger.catalog ? Recorded(outcome: .duplicate) : nil
    }
  }
}
