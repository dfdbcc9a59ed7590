import Glibc
import Platform
import TestSupport
import Testing

@testable import Journaling

/// The formats against files that were written once and never change; Tests/Golden/README.md says how they were made.
@Suite struct GoldenTests {
  private static let golden = GoldenFiles.path("journal")
  /// The last segment once more, as a crash left it in the middle of the next batch.
  private static let torn = GoldenFiles.path("journal-torn")
  private static let lastSegment = FileNames.segment(first: 5)
  private static let digest: UInt64 = 0x0123_4567_89AB_CDEF
  private static let records = ["one", "two", "", "four", String(repeating: "5", count: 260), "six"]

  /// Options that make the same store each time.
  private static func options() -> JournalOptions {
    let last = Guarded<UInt64>(0xA000_0000_0000_0000)
    return JournalOptions(
      segmentBytes: 1024,
      randomNumber: {
        last.withLock { last in
          last += 1
          return last
        }
      })
  }

  /// Writes the store: batches, a seal, a snapshot with its digest, a second segment with a batch and a seal, and the note of it.
  private func write(_ path: String) throws {
    let (journal, _) = try open(path, options: Self.options())
    _ = try journal.append([record(Self.records[0])])
    _ = try journal.append(Self.records[1...3].map(record))
    try journal.seal()
    try journal.writeSnapshot(revision: 4, digest: Self.digest) { writer in
      for block in ["as of", "", "four"] { try writer.write(record(block)) }
    }
    for text in Self.records[4...] { _ = try journal.append([record(text)]) }
    try journal.seal()
    try journal.noteComplete()
  }

  /// Appends one more batch, and takes the end of its frame away again.
  private func writeTorn(_ path: String) throws {
    do { _ = try open(path, options: Self.options()).0.append([record("seven")]) }
    var segment = try #require(try files(in: path)[Self.lastSegment])
    let end = try #require(try endsOfFrames(segment).last)
    segment.replaceSubrange((end - 12)..<end, with: repeatElement(0, count: 12))
    try lay([Self.lastSegment: segment], in: path)
  }

  private func files(_ path: String) throws -> [String: [UInt8]] { try files(in: path).filter { $0.key.hasSuffix(".lk") } }
  private func files(in path: String) throws -> [String: [UInt8]] { try JournalingTests.files(in: path) }

  @Test("What is written today is byte for byte what was written then")
  func sameBytes() throws {
    let directory = try TemporaryDirectory()
    try write(directory.store)
    let written = try files(directory.store)
    try writeTorn(directory.store)
    let torn = try files(directory.store)
    if unsafe getenv(GoldenFiles.writingVariable) != nil {
      try lay(written, in: Self.golden)
      try lay(torn, in: Self.torn)
    }
    #expect(written == (try files(Self.golden)))
    #expect(torn == (try files(Self.torn)))
  }

  @Test("A store of then is read as what it held, and goes on")
  func whole() throws {
    let directory = try TemporaryDirectory()
    try lay(try files(Self.golden), in: directory.store)
    do {
      let (journal, recovered) = try open(directory.store)
      #expect(
        recovered
          == Recovered(
            snapshot: ["as of", "", "four"], digest: Self.digest, records: Array(Self.records[4...]), revisions: [5, 6]))
      #expect(journal.completeRevision == 6)
      #expect(try journal.append([record("seven")]) == 7)
    }
    #expect(try contents(of: directory.store).records == Self.records[4...] + ["seven"])
  }

  @Test("An unfinished write of then is cut off, kept and reported")
  func unfinished() throws {
    let directory = try TemporaryDirectory()
    try lay(try files(Self.golden).merging(files(Self.torn)) { $1 }, in: directory.store)
    let recovered = try contents(of: directory.store)
    #expect(recovered.records == Array(Self.records[4...]))
    guard case .tornTail(_, let offset, let bytes, _)? = recovered.warnings.first else {
      Issue.record("nothing was reported")
      return
    }
    #expect(offset == 904)
    #expect(bytes == 33)
  }

  @Test("Without its snapshot a store of then is replayed from the start, through the state of its digest")
  func fromTheStart() throws {
    let directory = try TemporaryDirectory()
    var stored = try files(Self.golden)
    stored[FileNames.snapshot(of: 4)]?[HeaderFormat.byteCount] ^= 1
    try lay(stored, in: directory.store)
    var records: [String] = []
    let journal = try JournalDirectory.open(directory.store).recover(
      snapshot: { _ in }, record: { _, bytes in records.append(text(bytes)) },
      digest: {
        #expect(records.count == 4)
        return Self.digest
      })
    #expect(records == Self.records)
    #expect(journal.recovery.digestCount == 1)
  }

  @Test("The manifest of then says what it said", arguments: FileNames.manifests)
  func manifest(name: String) throws {
    let bytes = try #require(try files(Self.golden)[name])
    let manifest = try Manifest.decode(unsafe bytes.span.bytes, file: name)
    let store = StoreIdentity(high: 0xA000_0000_0000_0001, low: 0xA000_0000_0000_0002)
    #expect(
      manifest
        == Manifest(
          store: store, generation: 5, firstSegment: 1, lastSegment: 5, snapshots: [4], completeRevision: 6))
  }
}
