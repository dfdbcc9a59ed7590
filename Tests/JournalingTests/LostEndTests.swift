import Platform
import Testing

@testable import Journaling

/// Journals that lost their end, seal and all, which without a note in the manifest looks like a crash.
@Suite struct LostEndTests {
  private static let batches = [["one"], ["two", "three"], ["four"]]
  private static let name = FileNames.segment(first: 1)

  /// The files of a store whose end is noted, or only sealed.
  private func fill(_ path: String, isNoted: Bool) throws -> [String: [UInt8]] {
    do {
      let (journal, _) = try open(path)
      for batch in Self.batches { _ = try journal.append(batch.map(record)) }
      try journal.seal()
      if isNoted { try journal.noteComplete() }
    }
    return try files(in: path)
  }

  @Test("Once its end is noted, every cut and every end of zeros that takes a record is refused", arguments: [true, false])
  func everyCut(zeroFilled: Bool) throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store, isNoted: true)
    let segment = try #require(stored[Self.name])
    let records = Self.batches.flatMap { $0 }
    let lastBatchEnd = try #require(try endsOfFrames(segment).dropLast().last)
    for length in HeaderFormat.byteCount...segment.count {
      var cut = Array(segment.prefix(length))
      if zeroFilled { cut.pad(to: segment.count) }
      try lay(stored.merging([Self.name: cut]) { $1 }, in: directory.store)
      // A frame may end in zeros, which zeros don't change.
      let isWhole = cut.count >= lastBatchEnd && cut[..<lastBatchEnd] == segment[..<lastBatchEnd]
      if isWhole {
        #expect(try contents(of: directory.store).records == records)
      } else {
        #expect("\(try #require(refusal(directory.store), "\(length)"))".contains("was complete on the disk up to revision 4"))
        #expect(try files(in: directory.store)[Self.name] == cut, "a store that is refused stays as it is")
      }
    }
  }

  @Test("A process that is killed between the seal and the note leaves what every crash leaves: whole batches")
  func sealedOnly() throws {
    let directory = try TemporaryDirectory()
    var stored = try fill(directory.store, isNoted: false)
    let ends = try endsOfFrames(stored[Self.name, default: []])
    stored[Self.name]?.removeSubrange(ends[2]...)
    try lay(stored, in: directory.store)
    #expect(try contents(of: directory.store).records == ["one", "two", "three"])
  }

  @Test("A note that reached one copy of the manifest counts")
  func halfNoted() throws {
    let directory = try TemporaryDirectory()
    let before = try fill(directory.store, isNoted: false)
    let after = try { () throws in
      do { try open(directory.store).0.noteComplete() }
      return try files(in: directory.store)
    }()
    var mixed = after.merging([FileNames.manifests[1]: before[FileNames.manifests[1], default: []]]) { $1 }
    let ends = try endsOfFrames(after[Self.name, default: []])
    mixed[Self.name]?.removeSubrange(ends[2]...)
    try lay(mixed, in: directory.store)
    #expect(refusal(directory.store) != nil)
  }

  @Test("Whatever writes the manifest notes how far the journal is complete, and nothing is written for nothing")
  func whenNoted() throws {
    let directory = try TemporaryDirectory()
    do {
      let (journal, _) = try open(directory.store)
      _ = try journal.append([record("a")])
      #expect(journal.completeRevision == 0)
      try journal.startSegment()
      #expect(journal.completeRevision == 1)
      _ = try journal.append([record("b")])
      try journal.writeSnapshot(revision: 2, digest: 0) { _ in }
      #expect(journal.completeRevision == 2)
      _ = try journal.append([record("c")])
      try journal.noteComplete()
      #expect(journal.completeRevision == 3)
      let noted = try files(in: directory.store)
      try journal.noteComplete()
      #expect(try files(in: directory.store) == noted)
      _ = try journal.append([record("d")])
    }
    #expect(try open(directory.store).0.completeRevision == 4)
  }
}
