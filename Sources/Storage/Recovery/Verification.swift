import Journaling

/// What checking every byte of a stopped store came to.
package struct Verification: Sendable {
  /// Every file in the directory.
  package let files: [SurveyedFile]
  /// All that is wrong, the first of them first; empty where the store is whole.
  package private(set) var damages: [JournalError]
  /// The revision of the snapshot from which the journal was applied; 0: from the first record on. Nil where nothing can be proven.
  package let base: UInt64?
  /// The last revision that is proven, and the digest of the state as of it.
  package private(set) var revision: UInt64 = 0
  package private(set) var digest: UInt64 = 0
  /// The revisions whose state the journal gave again, by the digest of a snapshot or of the journal itself.
  package private(set) var reproduced: [UInt64] = []

  /// The bytes of all files.
  package var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

  /// Reads every file of a store, applies the whole journal that is kept to the oldest snapshot before it, and compares the state
  /// with every snapshot, and every digest that the journal tells, on the way. Nothing is changed on the disk.
  ///
  /// - Parameter progress: told in words what is being done.
  /// - Throws: `.journal` where the directory can't be looked at: it is in use, no store, or not to be read.
  package init(of directory: String, progress: (String) -> Void = { _ in }) throws(StoreError) {
    do throws(JournalError) {
      try self.init(reading: StoreSurvey.read(directory), progress)
    } catch {
      throw .journal(error)
    }
  }

  /// The same of a store whose files were looked at.
  init(reading survey: borrowing StoreSurvey, _ progress: (String) -> Void) throws(JournalError) {
    (files, damages, base) = (survey.files, survey.damages, survey.base)
    progress("read \(survey.files.count) files")
    try apply(survey, progress)
  }

  private mutating func apply(_ survey: borrowing StoreSurvey, _ progress: (String) -> Void) throws(JournalError) {
    guard let base else { return }
    let recovery = Recovering()
    var found: [JournalError] = []
    var reproduced: [UInt64] = []
    do throws(JournalError) {
      try recovery.read(survey, from: base) { revision in
        let (stored, noted) = (survey.snapshotDigests[revision], survey.notedDigests[revision])
        if stored == nil && noted == nil { return }
        let digest = StateDigest(of: recovery.state.ledger).value
        if let stored, stored != digest { found.append(survey.disagreement(at: revision, digest)) }
        if let noted, noted != digest { found.append(.diverged(file: survey.directory, revision: revision)) }
        if stored ?? digest == digest, noted ?? digest == digest { reproduced.append(revision) }
        progress("applied the journal to revision \(revision)")
      }
      for revision in survey.snapshotDigests.keys.sorted() where revision != base {
        try survey.readSnapshot(revision) { reader in try StateDigest.check(&reader) }
      }
    } catch {
      guard case .rejected = error else { throw error }
      found.append(error)
    }
    damages += found
    self.reproduced = reproduced
    revision = recovery.state.revision
    digest = StateDigest(of: recovery.state.ledger).value
  }
}

extension StoreSurvey {
  fileprivate func disagreement(at revision: UInt64, _ digest: UInt64) -> JournalError {
    damagedSnapshot(revision, "the journal before it leads to another state, of digest \(digest.inHexadecimal)")
  }
}

extension StateDigest {
  /// Reads a snapshot to its end, and throws unless what it holds has the digest that it says.
  static func check(_ reader: inout SnapshotReader) throws {
    var (digest, blocks) = (StateDigest(), BlockReader())
    while let block = try reader.next() {
      try blocks.forEachEntry(in: block) { entry in
        if let fields = RecordFields(entry: entry) {
          digest.add(entry.extracting(fields.digested))
        } else {
          digest.add(try StoredEntry(entry: entry))
        }
      }
    }
    guard !blocks.isIncomplete, digest.value == reader.digest else {
      throw UnreadableState(what: "the snapshot's digest isn't that of what it holds")
    }
  }
}

extension UInt64 {
  /// The number in 16 hexadecimal digits, as digests are told.
  package var inHexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
