import Entitlements
import Storage

/// What a start costs beside the disk and the fold of everyone: the state taken back from the bytes of a snapshot, or of the journal.
enum StartWorks {
  /// Takes records of a snapshot into a ledger, with all that leads to them.
  static func load(times: Int) throws -> Int {
    var snapshot = RestoredSnapshot()
    for entry in entries[..<times] { try unsafe snapshot.restore(entry.span.bytes) }
    snapshot.finish(revision: 1)
    return snapshot.state.ledger.records.count
  }

  /// Applies recordings of the journal to a ledger.
  static func replay(times: Int) throws -> Int {
    let recovering = Recovering()
    for (index, record) in inputs[..<times].enumerated() { try unsafe recovering.replay(UInt64(index + 1), record.span.bytes) }
    return recovering.state.ledger.records.count
  }

  /// Of monthly subscriptions with twelve renewals, everyone's first payment, then everyone's second.
  private static let recordings: [Recording] = {
    let all = (0..<2 * Work.loadRecord.times / 13 + 1).map { number in
      TypicalHistory.renewals.recordings(of: number).map { recording in
        var recording = recording
        recording.customer = customer(number)
        return recording
      }
    }
    return (0..<13).flatMap { period in all.map { $0[period] } }
  }()

  /// A customer whose id is a UUID, as most are.
  private static func customer(_ number: Int) -> CustomerID {
    let digits = String(number, radix: 16)
    return CustomerID("0f0e0d0c-0b0a-4908-8706-" + String(repeating: "0", count: 12 - digits.count) + digits)
  }

  private static let inputs: [[UInt8]] = recordings.map { StoredInput.record(of: .recording($0)) }

  /// The records of a ledger that holds all of them, without what else a snapshot has.
  private static let entries: [[UInt8]] = {
    var ledger = Ledger(catalog: TypicalHistory.catalog)
    // None of them is against a rule.
    for recording in recordings { _ = try? ledger.record(recording) }
    return SnapshotEntries(of: ledger).filter(\.isRecord).map { $0.encoded() }
  }()
}
