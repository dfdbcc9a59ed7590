import Platform
import TestSupport
import Testing

@testable import Journaling

/// What is told of the files of a store that nobody has open.
@Suite struct SurveyTests {
  /// A sealed store of several segments and two snapshots, as bytes.
  private func fill(_ path: String) throws -> [String: [UInt8]] {
    do {
      let (journal, _) = try open(path)
      for number in 1...12 {
        _ = try journal.append([record(String(repeating: "r", count: 150) + "\(number)")])
        guard number % 5 == 0 else { continue }
        try journal.writeSnapshot(revision: UInt64(number), digest: 7) { try $0.write(record("as of \(number)").span) }
      }
      try journal.seal()
    }
    return try files(in: path)
  }

  @Test("Each byte of each file is accounted for: one changed bit is damage, or at the end an unfinished write")
  func everyByte() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store)
    try lay(stored, in: directory.store)
    #expect(try StoreSurvey.read(directory.store).damages.isEmpty)
    let last = try #require(stored.keys.filter { FileNames.segmentRevision($0) != nil }.max())
    var random = SeededRandom(seed: 1)
    for _ in 0..<1_200 {
      let (name, bytes) = try #require(
        stored.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.randomElement(using: &random))
      var flipped = bytes
      let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      try write(flipped, to: "\(directory.store)/\(name)")
      let survey = try StoreSurvey.read(directory.store)
      let isTorn = survey.files.contains { file in
        if case .segment(_, _, let tornBytes) = file.content { file.name == last && tornBytes > 0 } else { false }
      }
      #expect(!survey.damages.isEmpty || name == last && isTorn, "\(name), bit \(bit)")
      try write(bytes, to: "\(directory.store)/\(name)")
    }
  }

  @Test("A segment that is missing between two others is refused by its own name, by an opening and by a survey")
  func missingSegment() throws {
    let directory = try TemporaryDirectory()
    do {
      let (journal, _) = try open(directory.store)
      for _ in 1...20 { _ = try journal.append([record(String(repeating: "r", count: 150))]) }
    }
    let names = try Directory.names(in: directory.store).filter { FileNames.segmentRevision($0) != nil }
    let missing = names[names.count / 2]
    try Directory.remove("\(directory.store)/\(missing)")
    for error in [refusal(directory.store), try StoreSurvey.read(directory.store).damages.first] {
      guard case .missing(let file)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(file.hasSuffix(missing))
    }
  }

  @Test("What is no file of the store is named for what it is, and none of it is damage")
  func otherFiles() throws {
    let directory = try TemporaryDirectory()
    let stored = try fill(directory.store)
    let segment = FileNames.segment(first: 99)
    let others = ["\(segment)-512-1.torn", "\(segment)-1.damaged", "\(segment).tmp", "notes.txt"]
    try lay(stored.merging(others.map { ($0, [1, 2, 3]) }) { $1 }, in: directory.store)
    let survey = try StoreSurvey.read(directory.store)
    #expect(survey.damages.isEmpty)
    let kinds = others.map { name in survey.files.first { $0.name == name }.map { "\($0.content)" } }
    #expect(kinds == ["tornTail", "putAside", "unfinished", "stranger"])
    #expect(survey.files.allSatisfy { !others.contains($0.name) || $0.bytes == 3 })
  }

  @Test("A directory without a file of a store is none, and stays as it was")
  func noStore() throws {
    let directory = try TemporaryDirectory()
    try Directory.create(directory.store)
    for hold in [StoreSurvey.Hold.shared, .alone] {
      #expect(throws: JournalError.self) { _ = try StoreSurvey.read(directory.store, hold: hold) }
    }
    #expect(try Directory.names(in: directory.store).isEmpty)
  }
}
