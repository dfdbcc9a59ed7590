import Entitlements
import Journaling
import LatchkeyWire
import Platform

/// The state as it is read back from the disk.
package final class Recovering {
  package internal(set) var state = StoreState()
  /// What was counted until the snapshot.
  private(set) var usages: [StoredUsage] = []
  /// Of the records that recordings came to.
  private var metTraits = MetTraits()
  /// When to tell how far it is.
  var pace = Pace()

  /// Begins with an empty state.
  package init() {}

  /// Takes the state from a snapshot, and compares its digest.
  ///
  /// - Parameter progress: told after each block how many entries were taken.
  func load(_ reader: inout SnapshotReader, progress: (Int) -> Void = { _ in }) throws {
    var (blocks, snapshot) = (BlockReader(), RestoredSnapshot())
    while let block = try reader.next() {
      try blocks.forEachEntry(in: block) { try snapshot.restore($0) }
      progress(snapshot.entryCount)
    }
    guard !blocks.isIncomplete else { throw UnreadableState(what: "the snapshot's last block goes on, and there is no other") }
    guard snapshot.digest.value == reader.digest else {
      throw UnreadableState(what: "the snapshot's digest isn't that of what it holds")
    }
    snapshot.finish(revision: reader.revision)
    (state, usages) = (snapshot.state, snapshot.usages)
  }

  /// Applies one input of the journal.
  package func replay(_ revision: UInt64, _ bytes: RawSpan) throws {
    if let fields = RecordFields(input: bytes) {
      try replay(fields, in: bytes)
    } else {
      try apply(bytes)
    }
    state.bytesSinceSnapshot += UInt64(bytes.byteCount)
    precondition(state.revision == revision, "each record of the journal is one revision")
  }

  /// Applies the recording of one transaction: nearly all come to one record more, with traits that were met before.
  private func replay(_ fields: RecordFields, in bytes: RawSpan) throws {
    let traits = metTraits.traits(of: fields, in: bytes)
    if let traits, fields.isForApp(state.ledger.settings.bundleID, in: bytes),
      state.applyPlainly(RecordParts.of(fields, in: bytes), traits)
    {
      return
    }
    let count = state.ledger.records.count
    try apply(bytes)
    if let added = state.ledger.traitsOfOneBehind(count) { metTraits.keep(added) }
  }

  private func apply(_ bytes: RawSpan) throws {
    guard let input = try JournaledInput.read(bytes).input else {
      throw UnreadableState(what: "an input of a kind that this version doesn't know", needsNewerVersion: true)
    }
    // What was refused when it was recorded is refused again, and changes nothing.
    _ = try? state.apply(input)
  }

  /// Takes the snapshot of a base, and the records behind it as far as they reach, from the files of a stopped store.
  ///
  /// - Parameter reached: told after each record which revision the state is of.
  func read(
    _ survey: borrowing StoreSurvey, from base: UInt64, reached: (UInt64) -> Void = { _ in }
  ) throws(JournalError) {
    try survey.readHistory(
      from: base, snapshot: { try load(&$0) },
      record: { revision, bytes in
        try replay(revision, bytes)
        reached(revision)
      })
  }
}

/// Stored bytes that are whole, but mean nothing to this version, or not what they should.
package struct UnreadableState: Error, CustomStringConvertible {
  var what: String
  /// Whether a later version may know better.
  package var needsNewerVersion = false

  package var description: String { what + (needsNewerVersion ? "; start the version that wrote it, or a later one" : "") }
}
