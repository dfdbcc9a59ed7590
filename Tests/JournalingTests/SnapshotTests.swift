import Platform
import TestSupport
import Testing

@testable import Journaling

@Suite struct SnapshotTests {
  private func append(_ numbers: ClosedRange<Int>, to journal: Journal) throws {
    for number in numbers { _ = try journal.append([record(name(number))]) }
  }

  private func name(_ number: Int) -> String { "record \(number) " + String(repeating: "-", count: 150) }

  private func snapshot(_ journal: Journal, _ blocks: [String]) throws {
    try journal.writeSnapshot(revision: journal.lastRevision, digest: 7) { writer in
      for block in blocks { try writer.write(record(block)) }
    }
  }

  /// A store with snapshots of revisions 10 and 20, and records up to 25.
  private func fill(_ path: String) throws -> [String: [UInt8]] {
    do {
      let (journal, _) = try open(path)
      try append(1...10, to: journal)
      try snapshot(journal, ["as of", "10"])
      try append(11...20, to: journal)
      try snapshot(journal, ["as of", "20"])
      try append(21...25, to: journal)
      try journal.seal()
    }
    return try files(in: path)
  }

  @Test("A snapshot comes back block by block with its digest, then the records after it")
  func roundTrip() throws {
    let directory = try TemporaryDirectory()
    _ = try fill(directory.store)
    let recovered = try contents(of: directory.store)
    #expect(recovered.snapshot == ["as of", "20"])
    #expect(recovered.digest == 7)
    #expect(recovered.revisions == [21, 22, 23, 24, 25])
    #expect(recovered.records == (21...25).map(name))
  }

  @Test("Two snapshots stay, with the journal from the older one on")
  func pruning() throws {
    let directory = try TemporaryDirectory()
    let (journal, _) = try open(directory.store)
    var kept: [[UInt64]] = []
    for round in 0..<4 {
      try append((round * 10 + 1)...(round * 10 + 10), to: journal)
      try snapshot(journal, ["state"])
      kept.append(try Directory.names(in: directory.store).compactMap(FileNames.snapshotRevision))
    }
    #expect(kept == [[10], [10, 20], [20, 30], [30, 40]])
    let segments = try Directory.names(in: directory.store).compactMap(FileNames.segmentRevision)
    #expect(segments[0] <= 31)
    #expect(segments[1] > 31)
  }

  @Test("A damaged newest snapshot is passed over aloud, since an older one and the journal after it are there")
  func fallBack() throws {
    let directory = try TemporaryDirectory()
    var stored = try fill(directory.store)
    // In the last block, so that a reader who believes the first would be misled.
    stored[FileNames.snapshot(of: 20)]?.withLast(SnapshotFormat.footerBytes + 5) { $0 ^= 1 }
    try lay(stored, in: directory.store)
    do {
      let (journal, recovered) = try open(directory.store)
      #expect(recovered.snapshot == ["as of", "10"])
      #expect(recovered.records == (11...25).map(name))
      guard case .snapshotSkipped? = recovered.warnings.first else {
        Issue.record("nothing was reported")
        return
      }
      try snapshot(journal, ["as of", "25"])
    }
    #expect(try contents(of: directory.store).snapshot == ["as of", "25"])
  }

  @Test("A snapshot that was passed over is no generation any more, so that the next one leaves the good one in place")
  func damagedGeneration() throws {
    let directory = try TemporaryDirectory()
    var files = try fill(directory.store)
    let (ten, twenty) = (FileNames.snapshot(of: 10), FileNames.snapshot(of: 20))
    files[twenty]?[HeaderFormat.byteCount + 20] ^= 1
    try lay(files, in: directory.store)
    do {
      let (journal, _) = try open(directory.store)
      #expect(journal.newestSnapshotRevision == 10)
      try snapshot(journal, ["as of", "25"])
    }
    files = try JournalingTests.files(in: directory.store)
    #expect(files[ten] != nil && files[twenty] == nil)
    files[FileNames.snapshot(of: 25)]?[HeaderFormat.byteCount + 20] ^= 1
    try lay(files, in: directory.store)
    let recovered = try contents(of: directory.store)
    #expect(recovered.snapshot == ["as of", "10"])
    #expect(recovered.revisions == Array(11...25))
  }

  @Test("With both snapshots damaged and the start of the journal gone, the store is refused")
  func bothDamaged() throws {
    let directory = try TemporaryDirectory()
    var stored = try fill(directory.store)
    for revision: UInt64 in [10, 20] { stored[FileNames.snapshot(of: revision)]?[HeaderFormat.byteCount + 20] ^= 1 }
    try lay(stored, in: directory.store)
    guard case .damaged(let file, _, _)? = refusal(directory.store) else {
      Issue.record("damage was accepted")
      return
    }
    #expect(file.hasSuffix(FileNames.snapshot(of: 20)))
  }

  @Test("A missing snapshot is refused")
  func missing() throws {
    let directory = try TemporaryDirectory()
    _ = try fill(directory.store)
    try Directory.remove("\(directory.store)/\(FileNames.snapshot(of: 20))")
    guard case .missing? = refusal(directory.store) else {
      Issue.record("its absence was accepted")
      return
    }
  }

  @Test("Every flipped bit and every truncation of a snapshot is found before a block of it is used")
  func damage() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store)
    let name = FileNames.snapshot(of: 20)
    let bytes = try #require(stored[name])
    let store = try HeaderBlock.decode(unsafe bytes.span.bytes, kind: .snapshot, store: nil, file: "").store
    let path = "\(directory.path)/damaged"
    func isRefused(_ bytes: [UInt8]) throws -> Bool {
      try write(bytes, to: path)
      do throws(JournalError) {
        var reader = try SnapshotReader(path: path, store: store, revision: 20)
        try reader.readToEnd()
        return false
      } catch { return true }
    }
    #expect(try !isRefused(bytes))
    for bit in 0..<(bytes.count * 8) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try isRefused(flipped), "bit \(bit)")
    }
    for length in 0..<bytes.count { #expect(try isRefused(Array(bytes.prefix(length))), "length \(length)") }
  }

  @Test("A snapshot whose writing is given up leaves the store as it was")
  func givenUp() throws {
    struct GivenUp: Error {}
    let directory = try TemporaryDirectory()
    let (journal, _) = try open(directory.store)
    try append(1...3, to: journal)
    let before = try files(in: directory.store)
    let error = #expect(throws: JournalError.self) {
      try journal.writeSnapshot(revision: 3, digest: 0) { writer in
        try writer.write([1])
        throw GivenUp()
      }
    }
    guard case .rejected? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try files(in: directory.store) == before)
  }

  @Test("A block of 1 MiB is stored, one byte more is refused")
  func blockLimit() throws {
    let directory = try TemporaryDirectory()
    let (journal, _) = try open(directory.store)
    _ = try journal.append([record("a")])
    #expect(throws: JournalError.self) {
      try journal.writeSnapshot(revision: 1, digest: 0) { writer in
        try writer.write([UInt8](repeating: 1, count: JournalLimits.snapshotBlockBytes + 1))
      }
    }
    let bytes = try journal.writeSnapshot(revision: 1, digest: 0) { writer in
      try writer.write([UInt8](repeating: 1, count: JournalLimits.snapshotBlockBytes))
    }
    #expect(bytes > UInt64(JournalLimits.snapshotBlockBytes))
    #expect(try journal.writeSnapshot(revision: 1, digest: 0) { _ in } == 0)
  }

  @Test("Snapshots are written while appends go on, and nothing of either is lost")
  func besideAppends() throws {
    let directory = try TemporaryDirectory()
    do {
      let (journal, _) = try open(directory.store)
      try append(1...1, to: journal)
      let thread = try Thread(named: "snapshots") {
        for _ in 0..<20 {
          let revision = journal.lastRevision
          do {
            try journal.writeSnapshot(revision: revision, digest: revision) { try $0.write(record("\(revision)")) }
          } catch { Issue.record(error) }
        }
      }
      try append(2...300, to: journal)
      thread.join()
    }
    let recovered = try contents(of: directory.store)
    let base = try #require(recovered.snapshot.first.flatMap { Int($0) })
    #expect(recovered.digest == UInt64(base))
    #expect(recovered.records == (base + 1..<301).map(name))
    #expect(try Directory.names(in: directory.store).compactMap(FileNames.snapshotRevision).count <= 2)
  }
}

extension [UInt8] {
  /// Changes the byte that stands so many before the end.
  fileprivate mutating func withLast(_ distance: Int, _ change: (inout UInt8) -> Void) { change(&self[count - distance]) }
}
