import Platform
import TestSupport
import Testing

@testable import Journaling

@Suite struct DamageTests {
  /// The batches that each small journal below holds.
  private static let batches = [["one"], ["two", "three"], ["", "five and a little more"], ["six"]]
  private static let records = batches.flatMap { $0 }

  /// The journals of which a crash may leave the end: all records of the first so many batches.
  private static let prefixes = (0...batches.count).map { Array(batches.prefix($0).joined()) }

  private func fill(_ path: String, sealed: Bool) throws -> [String: [UInt8]] {
    do {
      let (journal, _) = try open(path)
      for batch in Self.batches { _ = try journal.append(batch.map(record)) }
      if sealed { try journal.seal() }
    }
    return try files(in: path)
  }

  @Test("Every truncation leaves whole batches from the start, and the journal goes on", arguments: [true, false])
  func truncations(zeroFilled: Bool) throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store, sealed: true)
    let name = FileNames.segment(first: 1)
    let segment = try #require(stored[name])
    var seen: Set<[String]> = []
    for length in HeaderFormat.byteCount...segment.count {
      var cut = Array(segment.prefix(length))
      if zeroFilled { cut.pad(to: segment.count) }
      try lay(stored.merging([name: cut]) { $1 }, in: directory.store)
      let records: [String]
      do {
        let (journal, recovered) = try open(directory.store)
        records = recovered.records
        #expect(Self.prefixes.contains(records))
        #expect(try journal.append([record("next")]) == UInt64(records.count + 1))
      }
      #expect(try contents(of: directory.store).records == records + ["next"])
      seen.insert(records)
    }
    #expect(seen.count == Self.prefixes.count)
  }

  @Test("A journal that ends inside its header is refused")
  func headerCut() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store, sealed: true)
    let name = FileNames.segment(first: 1)
    for length in [0, 1, 100, 511] {
      try lay(stored.merging([name: Array(stored[name, default: []].prefix(length))]) { $1 }, in: directory.store)
      #expect(refusal(directory.store) != nil)
    }
  }

  @Test("Every flipped bit of a sealed journal is refused, or changes nothing that was acknowledged")
  func flippedBits() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store, sealed: true)
    let name = FileNames.segment(first: 1)
    let bytes = try #require(stored[name])
    let lastBatchEnd = try endOfFrames(bytes) - FrameFormat.sealBytes
    // Of the zeros at the end, the first 16 bytes stand for all.
    for bit in 0..<(try endOfFrames(bytes) + 16) * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      try lay(stored.merging([name: flipped]) { $1 }, in: directory.store)
      do throws(JournalError) {
        let recovered = try contents(of: directory.store)
        #expect(recovered.records == Self.records, "bit \(bit)")
        #expect(recovered.warnings.count == 1, "bit \(bit)")
        #expect(bit / 8 >= lastBatchEnd, "bit \(bit)")
      } catch {
        #expect(bit / 8 < lastBatchEnd, "bit \(bit): \(error)")
      }
    }
  }

  @Test("Every flipped bit of a manifest is found, and the other copy takes its place")
  func flippedManifest() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store, sealed: true)
    for name in FileNames.manifests {
      let bytes = try #require(stored[name])
      for bit in 0..<(bytes.count * 8) {
        var flipped = bytes
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(throws: JournalError.self) { try Manifest.decode(unsafe flipped.span.bytes, file: name) }
        if bit % 253 != 0 { continue }
        try lay(stored.merging([name: flipped]) { $1 }, in: directory.store)
        let recovered = try contents(of: directory.store)
        #expect(recovered.records == Self.records)
        #expect(recovered.warnings.count == 1)
      }
    }
  }

  @Test("Every flipped bit of a segment that is not the last is refused, with the file and the offset")
  func flippedBitsInFullSegment() throws {
    let directory = try TemporaryDirectory()
    do {
      let (journal, _) = try open(directory.store)
      for number in 0..<12 { _ = try journal.append([record(String(repeating: "r", count: 150) + "\(number)")]) }
    }
    let stored = try files(in: directory.store)
    let name = FileNames.segment(first: 1)
    let segment = try #require(stored[name])
    var random = SeededRandom(seed: 1)
    for _ in 0..<1_000 {
      let bit = Int.random(in: 0..<(segment.count * 8), using: &random)
      var flipped = segment
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      try lay(stored.merging([name: flipped]) { $1 }, in: directory.store)
      guard case .damaged(let file, _, _)? = refusal(directory.store) else {
        Issue.record("bit \(bit) was accepted")
        continue
      }
      #expect(file.hasSuffix(name))
    }
  }

  @Test("A damaged batch before a whole one is refused at its offset")
  func damageInTheMiddle() throws {
    let directory = try TemporaryDirectory()
    var stored = try fill(directory.store, sealed: false)
    let name = FileNames.segment(first: 1)
    stored[name]?[HeaderFormat.byteCount] ^= 0x80
    try lay(stored, in: directory.store)
    guard case .damaged(_, let offset, _)? = refusal(directory.store) else {
      Issue.record("damage was accepted")
      return
    }
    #expect(offset == HeaderFormat.byteCount)
  }

  @Test("A journal is sealed when it is opened, so that damage to its last batch is refused from then on")
  func sealedAtOpening() throws {
    let directory = try TemporaryDirectory()
    _ = try fill(directory.store, sealed: false)
    _ = try contents(of: directory.store)
    var stored = try files(in: directory.store)
    let name = FileNames.segment(first: 1)
    let lastBatchEnd = try endOfFrames(stored[name, default: []]) - FrameFormat.sealBytes
    stored[name]?[lastBatchEnd - 1] ^= 1
    try lay(stored, in: directory.store)
    guard case .damaged? = refusal(directory.store) else {
      Issue.record("damage was accepted")
      return
    }
  }

  @Test("An unfinished write is cut off, kept, and reported once")
  func tornTail() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store, sealed: true)
    let name = FileNames.segment(first: 1)
    let end = try endOfFrames(stored[name, default: []])
    let remains: [UInt8] = [1, 2, 0, 3]
    var torn = stored[name, default: []]
    torn.replaceSubrange(end..<(end + remains.count), with: remains)
    try lay(stored.merging([name: torn]) { $1 }, in: directory.store)
    let recovered = try contents(of: directory.store)
    #expect(recovered.records == Self.records)
    guard case .tornTail(_, let offset, let bytes, let keptIn)? = recovered.warnings.first else {
      Issue.record("nothing was reported")
      return
    }
    #expect(offset == end)
    #expect(bytes == remains.count)
    #expect(try WholeFile.read(keptIn, limit: .max) == remains)
    #expect(try contents(of: directory.store).warnings.isEmpty)
  }

  @Test("A frame with lost sectors in its middle is an unfinished write")
  func lostSectors() throws {
    let directory = try TemporaryDirectory()
    do { _ = try open(directory.store, options: JournalOptions(segmentBytes: 16 << 10)).0.append([record("kept")]) }
    let before = try endOfFrames(try files(in: directory.store)[FileNames.segment(first: 1), default: []])
    do {
      let (journal, _) = try open(directory.store, options: JournalOptions(segmentBytes: 16 << 10))
      _ = try journal.append([[UInt8](repeating: 7, count: 5_000)])
    }
    let stored = try files(in: directory.store)
    let name = FileNames.segment(first: 1)
    for sector in stride(from: (before / 512 + 1) * 512, to: before + 4_500, by: 512) {
      var torn = stored[name, default: []]
      torn.replaceSubrange(sector..<(sector + 512), with: repeatElement(0, count: 512))
      try lay(stored.merging([name: torn]) { $1 }, in: directory.store)
      let recovered = try contents(of: directory.store)
      #expect(recovered.records == ["kept"])
      #expect(recovered.warnings.count == 1)
    }
  }

  @Test("Recovery never crashes over random bytes in the place of a segment's frames")
  func randomFrames() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store, sealed: true)
    let name = FileNames.segment(first: 1)
    var random = SeededRandom(seed: 2)
    for _ in 0..<200 {
      var bytes = Array(stored[name, default: []].prefix(HeaderFormat.byteCount))
      for _ in 0..<Int.random(in: 0..<600, using: &random) { bytes.append(.random(in: 0 ... .max, using: &random)) }
      try lay(stored.merging([name: bytes]) { $1 }, in: directory.store)
      #expect(try contents(of: directory.store).records.isEmpty)
    }
  }
}

/// Where the last whole frame of a segment ends.
private func endOfFrames(_ bytes: [UInt8]) throws -> Int { try #require(try endsOfFrames(bytes).last) }
