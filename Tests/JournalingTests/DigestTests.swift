import Platform
import Testing

@testable import Journaling

/// The digests in the journal, to which a replay is held that comes through the states that they are of.
@Suite struct DigestTests {
  /// A store of single records, with a snapshot and so a digest of 100 and so many after each second one.
  private func fill(_ path: String, through last: UInt64) throws -> [String: [UInt8]] {
    do {
      let (journal, _) = try open(path)
      for revision in 1...last {
        _ = try journal.append([record("record \(revision)")])
        if revision % 2 == 0 { try journal.writeSnapshot(revision: revision, digest: 100 + revision) { _ in } }
      }
    }
    return try files(in: path)
  }

  /// Opens a store that tells a digest of 100 more than the last revision, or another one at some revision.
  private func replay(_ path: String, divergingAt divergence: UInt64 = 0) throws(JournalError) -> (Journal, asked: [UInt64]) {
    var (last, asked): (UInt64, [UInt64]) = (0, [])
    let journal = try JournalDirectory.open(path, options: smallSegments).recover(
      snapshot: { _ in }, record: { revision, _ in last = revision },
      digest: {
        asked.append(last)
        return last == divergence ? 0 : 100 + last
      })
    return (journal, asked)
  }

  private func damage(snapshots: [UInt64], of stored: [String: [UInt8]], in path: String) throws {
    var damaged = stored
    for revision in snapshots { damaged[FileNames.snapshot(of: revision)]?[HeaderFormat.byteCount] ^= 1 }
    try lay(damaged, in: path)
  }

  @Test("A replay from the newest snapshot passes through no digest, and one from before it must reproduce each")
  func reproduced() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store, through: 5)
    for (damaged, passed) in [([], []), ([4], [4]), ([2, 4], [2, 4])] as [([UInt64], [UInt64])] {
      try damage(snapshots: damaged, of: stored, in: directory.store)
      let (journal, asked) = try replay(directory.store)
      #expect(asked == passed)
      #expect(journal.recovery.digestCount == passed.count)
      #expect(journal.lastRevision == 5)
    }
  }

  @Test("A replay that gives another state is refused in plain words, and the store stays as it was", arguments: [2, 4])
  func diverged(revision: UInt64) throws {
    let directory = try TemporaryDirectory()
    try damage(snapshots: [2, 4], of: fill(directory.store, through: 5), in: directory.store)
    let before = try files(in: directory.store)
    let error = #expect(throws: JournalError.self) { try replay(directory.store, divergingAt: revision) }
    #expect("\(try #require(error))".contains("up to revision \(revision) give another state"))
    #expect(try files(in: directory.store) == before)
  }

  @Test("A snapshot of another history, whole and of the right revision, is refused")
  func foreignSnapshot() throws {
    let directory = try TemporaryDirectory()
    do { _ = try open(directory.store) }
    let start = try files(in: directory.store)
    func life(digest: UInt64) throws -> [String: [UInt8]] {
      try lay(start, in: directory.store)
      do {
        let (journal, _) = try open(directory.store)
        _ = try journal.append([record("a")])
        try journal.writeSnapshot(revision: 1, digest: digest) { _ in }
      }
      return try files(in: directory.store)
    }
    let name = FileNames.snapshot(of: 1)
    let other = try life(digest: 1)
    try lay(life(digest: 2).merging([name: other[name, default: []]]) { $1 }, in: directory.store)
    #expect("\(try #require(refusal(directory.store)))".contains("its digest is not the one that the journal"))
  }

  @Test("A digest proves the batch before it as a seal does, and its own loss does no harm")
  func instead() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store, through: 2)
    let name = FileNames.segment(first: 1)
    let ends = try endsOfFrames(stored[name, default: []])
    #expect(ends.count == 4, "two batches and a digest")
    var changed = stored
    changed[name]?[ends[2] - 1] ^= 1
    try lay(changed, in: directory.store)
    guard case .damaged(_, let offset, _)? = refusal(directory.store) else {
      Issue.record("damage was accepted")
      return
    }
    #expect(offset == ends[1])
    changed = stored
    changed[name]?.removeSubrange(ends[2]...)
    try lay(changed, in: directory.store)
    #expect(try replay(directory.store).0.lastRevision == 2)
  }

  @Test("A digest that finds no room begins a segment, and a long batch takes the place of a segment without records")
  func rotation() throws {
    let directory = try TemporaryDirectory()
    let long = String(repeating: "x", count: 2_000)
    do {
      let (journal, _) = try open(directory.store)
      // 1,024 bytes: the header, a frame of 440, and room for a seal, but not for a digest.
      _ = try journal.append([record(String(repeating: "r", count: 400))])
      try journal.writeSnapshot(revision: 1, digest: 101) { _ in }
      #expect(try Directory.names(in: directory.store).compactMap(FileNames.segmentRevision) == [1, 2])
      _ = try journal.append([record(long)])
    }
    #expect(try contents(of: directory.store).records == [long])
    try damage(snapshots: [1], of: files(in: directory.store), in: directory.store)
    #expect(try replay(directory.store).0.lastRevision == 2)
  }

  @Test("A digest of a revision that was not before it is damage", arguments: [(0, false), (1, true), (4, true), (5, false)])
  func revision(of noted: UInt64, isRight: Bool) throws {
    let chain = FrameChain(salt: 1, checksum: 2, nextRevision: 5)
    let records = FrameRecords(records: [DigestNote(revision: noted, digest: 7).encoded()])
    var bytes: [UInt8] = []
    let next = FrameWriter.encode(.digest, records, length: try FrameWriter.length(of: records), after: chain, into: &bytes)
    #expect(next.nextRevision == 5)
    guard case .frame(let frame) = FrameReader.read(unsafe bytes.span.bytes, at: 0, after: chain) else {
      #expect(!isRight)
      return
    }
    #expect(isRight)
    #expect(frame.note == DigestNote(revision: noted, digest: 7))
    #expect(frame.range == 0..<56)
  }
}
