import Glibc
import Platform
import Testing

@testable import Journaling

/// What is kept of the past beyond what recovery needs, and how it is read beside the writing.
@Suite struct KeptHistoryTests {
  private let day: Int64 = 86_400

  /// Fills small segments, with a snapshot of every tenth revision.
  private func fill(_ journal: Journal, through last: UInt64) throws {
    while journal.lastRevision < last {
      _ = try journal.append([record(String(repeating: "x", count: 200))])
      guard journal.lastRevision % 10 == 0 else { continue }
      try journal.writeSnapshot(revision: journal.lastRevision, digest: 0) { writer in
        try writer.write(record("as of \(journal.lastRevision)").span)
      }
    }
  }

  /// The revisions of the snapshot and of the records that are read.
  private func kept(_ journal: Journal, through last: UInt64) throws -> (snapshot: [String], revisions: [UInt64]) {
    var (snapshot, revisions): ([String], [UInt64]) = ([], [])
    try journal.readKept(
      from: try #require(try journal.earliestKept()), through: last,
      snapshot: { reader in
        while let block = try reader.next() { snapshot.append(String(decoding: block, as: UTF8.self)) }
      },
      record: { revision, _ in revisions.append(revision) })
    return (snapshot, revisions)
  }

  @Test("Without a time to keep, the past begins with the older of two snapshots")
  func nothingKept() throws {
    let directory = try TemporaryDirectory()
    let (journal, _) = try open(directory.store)
    try fill(journal, through: 45)
    let kept = try kept(journal, through: 45)
    #expect(kept.snapshot == ["as of 30"])
    #expect(kept.revisions == Array(31...45))
  }

  @Test("Within the time to keep nothing goes, and what is kept is read up to the revision asked for")
  func allKept() throws {
    let directory = try TemporaryDirectory()
    do {
      let (journal, _) = try open(directory.store, options: JournalOptions(segmentBytes: 1024, keptSeconds: day))
      try fill(journal, through: 45)
      let kept = try kept(journal, through: 33)
      #expect(kept.snapshot.isEmpty)
      #expect(kept.revisions == Array(1...33))
    }
    #expect(try contents(of: directory.store).revisions == Array(41...45))
  }

  @Test("A frame that was seen half written behind what is read, with a whole one after it, is no damage")
  func writtenMeanwhile() throws {
    let directory = try TemporaryDirectory()
    let (journal, _) = try open(directory.store)
    for _ in 1...3 { _ = try journal.append([record("x")]) }
    // As a read finds it that began before the second frame was whole, and ended after the third one was.
    var stored = try files(in: directory.store)
    let name = FileNames.segment(first: 1)
    let secondEnd = try endsOfFrames(try #require(stored[name]))[2]
    stored[name]?[secondEnd - 1] ^= 0xFF
    try write(try #require(stored[name]), to: "\(directory.store)/\(name)")
    #expect(try kept(journal, through: 1).revisions == [1])
    #expect(throws: JournalError.self) { try kept(journal, through: 2) }
  }

  @Test("When the time is over, the newest snapshot before it stays with all that follows")
  func older() throws {
    let directory = try TemporaryDirectory()
    let (journal, _) = try open(directory.store, options: JournalOptions(segmentBytes: 1024, keptSeconds: day))
    try fill(journal, through: 35)
    for revision in [10, 20] as [UInt64] {
      // As if they had been written two days ago.
      let old = Clock.wallMilliseconds() / 1_000 - 2 * day
      var times = [timespec(tv_sec: Int(old), tv_nsec: 0), timespec(tv_sec: Int(old), tv_nsec: 0)]
      let path = "\(directory.store)/\(FileNames.snapshot(of: revision))"
      #expect(unsafe utimensat(AT_FDCWD, path, &times, 0) == 0)
    }
    try fill(journal, through: 40)
    let snapshots = try Directory.names(in: directory.store).compactMap(FileNames.snapshotRevision)
    #expect(snapshots.sorted() == [20, 30, 40])
    let kept = try kept(journal, through: 40)
    #expect(kept.snapshot == ["as of 20"])
    #expect(kept.revisions == Array(21...40))
  }
}
