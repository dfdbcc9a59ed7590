import Platform
import Testing

@testable import Journaling

@Suite struct JournalTests {
  @Test("What was appended is read again in order, with its revisions, after each reopening")
  func roundTrip() throws {
    let directory = try TemporaryDirectory()
    var expected: [String] = []
    for round in 0..<4 {
      let (journal, recovered) = try open(directory.store)
      #expect(recovered.records == expected)
      #expect(recovered.revisions == (0..<UInt64(expected.count)).map { $0 + 1 })
      #expect(recovered.warnings.isEmpty)
      for batch in 0..<3 {
        let records = (0...batch).map { "round \(round), batch \(batch), record \($0)" }
        expected += records
        #expect(try journal.append(records.map(record)) == UInt64(expected.count))
      }
      if round % 2 == 0 { try journal.seal() }
      #expect(journal.lastRevision == UInt64(expected.count))
    }
    #expect(try contents(of: directory.store).records == expected)
  }

  @Test("A journal goes on over many small segments, and a batch longer than a segment gets its own")
  func rotation() throws {
    let directory = try TemporaryDirectory()
    var expected: [String] = []
    do {
      let (journal, _) = try open(directory.store)
      for number in 0..<40 {
        expected.append(String(repeating: "x", count: number == 20 ? 5_000 : 100) + "\(number)")
        _ = try journal.append([record(expected[number])])
      }
    }
    let segments = try Directory.names(in: directory.store).compactMap(FileNames.segmentRevision)
    #expect(segments.count > 8)
    #expect(segments.first == 1)
    #expect(try contents(of: directory.store).records == expected)
  }

  @Test("A new segment takes nothing of what was before, and what was before goes with the second snapshot from then on")
  func newSegment() throws {
    let directory = try TemporaryDirectory()
    func holds(_ text: String) throws -> Bool {
      try files(in: directory.store).values.contains { String(decoding: $0, as: UTF8.self).contains(text) }
    }
    do {
      let (journal, _) = try open(directory.store, options: JournalOptions(segmentBytes: 1 << 16))
      try journal.startSegment()
      _ = try journal.append([record("a secret")])
      try journal.startSegment()
      try journal.startSegment()
      #expect(try Directory.names(in: directory.store).compactMap(FileNames.segmentRevision).sorted() == [1, 2])
      _ = try journal.append([record("after it")])
      for revision in 2...3 as ClosedRange<UInt64> {
        #expect(try holds("a secret"))
        _ = try journal.append([record("more")])
        try journal.writeSnapshot(revision: revision, digest: 0) { _ in }
      }
      #expect(try !holds("a secret"))
    }
    #expect(try contents(of: directory.store).revisions == [4])
  }

  @Test("A record may be empty", arguments: [[""], ["", "", "a"]])
  func emptyRecords(records: [String]) throws {
    let directory = try TemporaryDirectory()
    do { _ = try open(directory.store).0.append(records.map(record)) }
    #expect(try contents(of: directory.store).records == records)
  }

  @Test("A record of 8 MiB is stored, and one byte more is refused with nothing written")
  func recordLimit() throws {
    let directory = try TemporaryDirectory()
    do {
      let (journal, _) = try open(directory.store)
      #expect(throws: JournalError.self) { try journal.append([[UInt8](repeating: 1, count: JournalLimits.recordBytes + 1)]) }
      #expect(try journal.append([[UInt8](repeating: 1, count: JournalLimits.recordBytes)]) == 1)
    }
    #expect(try contents(of: directory.store).records.map(\.utf8.count) == [JournalLimits.recordBytes])
  }

  @Test("A frame is at most 16 MiB", arguments: [(0, true), (1, false)])
  func frameLimit(excess: Int, fits: Bool) throws {
    // Two records and their overheads make exactly the limit.
    let room = JournalLimits.batchBytes - 2 * JournalLimits.recordOverheadBytes
    let sizes = [JournalLimits.recordBytes, room - JournalLimits.recordBytes + excess]
    let records = sizes.map { [UInt8](repeating: 0, count: $0) }
    let length = try? FrameWriter.length(of: FrameRecords(records: records))
    #expect((length == JournalLimits.frameBytes) == fits)
    #expect((length == nil) == !fits)
  }

  @Test("A seal is written once, and the journal goes on after it")
  func seal() throws {
    let directory = try TemporaryDirectory()
    let (journal, _) = try open(directory.store)
    _ = try journal.append([record("a")])
    try journal.seal()
    let sealed = try files(in: directory.store)
    try journal.seal()
    #expect(try files(in: directory.store) == sealed)
    #expect(try journal.append([record("b")]) == 2)
  }
}
