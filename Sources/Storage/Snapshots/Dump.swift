import Entitlements
import JSON
import Journaling
import Protobuf

/// The state of a store as lines of JSON, which `record` takes back: from a stopped data directory, or from a backup.
///
/// Settings and catalog come first, then the tombstones and the records without ids, each with its place, then all others.
/// Counts of checks aren't in it, and no versions but the newest of each transaction: it is the state, not the journal.
package struct Dump: Sendable {
  package let revision: UInt64
  /// Of the state: a store into which all lines were restored has the same.
  package let digest: UInt64
  private let ledger: Ledger

  /// On which the decisions of the store depended.
  package var settings: Settings { ledger.settings }

  /// The member of each line that tells it from what Apple sent.
  package static let key = "latchkey_entry"

  /// Reads a stopped store, whole, and applies its journal.
  ///
  /// - Throws: `.journal` with the first damage, or where the store is in use.
  package init(ofStore directory: String) throws(StoreError) {
    do throws(JournalError) {
      let survey = try StoreSurvey.read(directory)
      if let damage = survey.damages.first { throw damage }
      let recovery = Recovering()
      try recovery.read(survey, from: survey.bases.last ?? 0)
      self.init(recovery.state)
    } catch {
      throw .journal(error)
    }
  }

  /// Reads a backup.
  ///
  /// - Throws: `.journal` with the first damage.
  package init(ofBackup path: String) throws(StoreError) {
    do throws(JournalError) {
      var reader = try SnapshotReader(standingAlone: path)
      let recovery = Recovering()
      do { try recovery.load(&reader) } catch let error as JournalError { throw error } catch {
        throw .rejected(place: path, error)
      }
      self.init(recovery.state)
    } catch {
      throw .journal(error)
    }
  }

  init(_ state: StoreState) {
    (ledger, revision) = (state.ledger, state.revision)
    digest = StateDigest(of: ledger).value
  }

  /// Gives each line, without its end. The same state gives the same lines in the same order, whichever revisions led to it, but for
  /// the order of the records, which is that of their first recording.
  package func forEachLine<Failure: Error>(_ body: (String) throws(Failure) -> Void) throws(Failure) {
    var (tombstones, anonymous): (Int64, Int64) = (0, 0)
    // Renewal infos and grants, which the ledger has in no order.
    var unordered: [String] = []
    for isNamed in [false, true] {
      for var entry in SnapshotEntries(of: ledger) where entry.isNamed == isNamed {
        // A number is of this ledger alone.
        entry.recordNumberPlusOne = 0
        if entry.tombstone != nil {
          entry.place = tombstones
          tombstones += 1
        } else if !isNamed, entry.record != nil {
          entry.place = anonymous
          anonymous += 1
        }
        let line = "{\"\(Dump.key)\":\(JSONPrinter.print(entry))}"
        if isNamed, entry.record == nil { unordered.append(line) } else { try body(line) }
      }
    }
    for line in unordered.sorted() { try body(line) }
  }
}

extension StoredEntry {
  /// Whether it has ids, so that it is found without its place. Settings and catalog must come before those all the same.
  fileprivate var isNamed: Bool {
    if let record { return record.transaction?.transactionID.isEmpty == false }
    return renewalInfo != nil || customerGrants != nil
  }
}

extension Restoration {
  /// Reads a line of a dump.
  ///
  /// - Throws: `Refusal` that says where in the line, and what was expected there.
  package init(line: String) throws(Refusal) {
    do throws(JSONError) {
      // As many bytes as a frame may have.
      let document = try JSONDocument(parsing: line, sizeLimit: 4 << 20).root
      try document.refuseKeys(otherThan: [Dump.key])
      let entry: StoredEntry = try JSONMessageReader.read(from: document.required(Dump.key))
      guard let piece = entry.restoration else {
        throw document.error("expected one piece of a state, with its place if need be")
      }
      self = piece
    } catch {
      throw .invalid(field: "entry_json", problem: "\(error)")
    }
  }
}
