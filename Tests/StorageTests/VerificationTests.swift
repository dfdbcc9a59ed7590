import Entitlements
import Journaling
import Platform
import TestSupport
import Testing

@testable import Storage

struct VerificationTests {
  /// Keeps the whole journal, so that every snapshot can be reproduced from the first record on.
  private let keeping = JournalOptions(segmentBytes: 4096, keptSeconds: 86_400)

  @Test(
    "A sound store is whole, to the digest and revision that it had, and isn't changed", arguments: 1...4 as ClosedRange<UInt64>)
  func sound(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: seed)
    let before = try StoredFiles(in: killed.path)
    let verification = try Verification(of: killed.path)
    #expect(verification.damages.isEmpty, "\(verification.damages)")
    #expect((verification.revision, verification.digest) == (killed.held.revision, killed.held.digest))
    #expect(verification.bytes == before.contents.values.reduce(0) { $0 + $1.count })
    #expect(Set(verification.files.map(\.name)) == Set(before.contents.keys))
    #expect(verification.reproduced.count == 1)
    #expect(try StoredFiles(in: killed.path) == before)
  }

  @Test("Every snapshot of a journal that is kept whole is reproduced from the first record on")
  func reproduced() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 9, inputs: 200, snapshotEvery: 40, options: keeping)
    let verification = try Verification(of: killed.path)
    #expect(verification.damages.isEmpty, "\(verification.damages)")
    #expect(verification.base == 0)
    #expect(verification.reproduced.count == 5)
  }

  @Test("An unfinished write at the end is told and left where it is")
  func tornTail() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 2)
    let last = "\(killed.path)/\(try #require(try StoredFiles(in: killed.path).names("journal-").last))"
    let file = try File(last, for: .update)
    // A page further on, where no frame stands yet.
    try file.write([1, 2, 3].span, at: file.size())
    let before = try StoredFiles(in: killed.path)
    let verification = try Verification(of: killed.path)
    #expect(verification.damages.isEmpty)
    #expect(verification.digest == killed.held.digest)
    let torn = verification.files.compactMap { file in
      if case .segment(_, _, let tornBytes) = file.content { tornBytes } else { nil }
    }
    #expect(torn.filter { $0 > 0 }.count == 1)
    #expect(try StoredFiles(in: killed.path) == before)
  }

  @Test(
    "One changed byte in a file of any kind is found, and its file is named", arguments: ["journal-", "snapshot-", "manifest-"])
  func flipped(kind: String) throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 3)
    var random = SeededRandom(seed: 3)
    let stored = try StoredFiles(in: killed.path)
    for name in stored.names(kind) {
      let bytes = stored.contents[name, default: []]
      // Of the last segment, what stands before its last frames: the zeros behind them could be an unfinished write.
      let end = name == stored.names("journal-").last ? 600 : bytes.count
      let offset = Int.random(in: 0..<end, using: &random)
      let path = "\(killed.path)/\(name)"
      try flip(path, at: offset)
      let damages = try Verification(of: killed.path).damages
      #expect(damages.contains { "\($0)".contains(name) }, "\(name) at \(offset): \(damages)")
      try flip(path, at: offset)
    }
    #expect(try Verification(of: killed.path).damages.isEmpty)
  }

  @Test("A snapshot of another life at the same revision, whole in itself, isn't what the journal leads to")
  func otherLife() throws {
    let directory = try TemporaryDirectory()
    let start = try openStore(directory.store)
    try start.record(lifetime("1"), as: "ana")
    let lives = try ["2", "3"].map { id in
      let path = try directory.copy(of: directory.store)
      let store = try openStore(path, options: keeping)
      try store.record(lifetime(Identifier(id)), as: "ana")
      _ = try store.takeSnapshot()
      return try directory.copy(of: path)
    }
    let theirs = try StoredFiles(in: lives[1])
    let name = try #require(theirs.names("snapshot-").last)
    try write(try #require(theirs.contents[name]), to: "\(lives[0])/\(name)")
    let verification = try Verification(of: lives[0])
    #expect("\(try #require(verification.damages.first))".contains("leads to another state"))
  }

  @Test("A store that a server has open is not looked at")
  func inUse() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "ana")
    #expect(failure { try Verification(of: directory.store) } == .inUse)
    try store.close()
  }

  @Test("A missing segment, a missing snapshot and a file that is nobody's are named")
  func missing() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 5, inputs: 200, snapshotEvery: 300)
    let stored = try StoredFiles(in: killed.path)
    let middle = stored.names("journal-")[1]
    try write(Array("mine".utf8), to: "\(killed.path)/notes.txt")
    try Directory.remove("\(killed.path)/\(middle)")
    let verification = try Verification(of: killed.path)
    guard case .missing(let file)? = verification.damages.first else {
      Issue.record("\(verification.damages)")
      return
    }
    #expect(file.hasSuffix(middle))
    let notes = try #require(verification.files.first { $0.name == "notes.txt" })
    guard case .stranger = notes.content else {
      Issue.record("\(notes)")
      return
    }
  }
}
