import Entitlements
import Journaling
import Platform
import TestSupport
import Testing

@testable import Storage

struct BackupTests {
  /// A store with a backup of it, as the bytes of the open file were read.
  private func backedUp(in directory: borrowing TemporaryDirectory, seed: UInt64) throws -> (path: String, held: StoreContents) {
    var history = RandomHistory(seed: seed)
    let store = try openStore(directory.store, options: smallSegments)
    for _ in 0..<120 { _ = try? store.submitAndWait(history.input(), evaluateAt: day(30)) }
    let held = store.contents
    let file = try store.openBackup()
    // What is recorded and pruned meanwhile is no matter.
    for _ in 0..<3 {
      for _ in 0..<10 { _ = try? store.submitAndWait(history.input(), evaluateAt: day(30)) }
      _ = try store.takeSnapshot()
    }
    var bytes: [UInt8] = []
    while bytes.count < file.byteCount { bytes += try file.read(1_000, at: bytes.count) }
    #expect(try file.read(1_000, at: bytes.count).isEmpty)
    let path = "\(directory.path)/monday.lkbackup"
    try write(bytes, to: path)
    return (path, held)
  }

  @Test(
    "A restored store has the digest and revision of the backup's moment, and goes on from there",
    arguments: [1, 2, 3] as [UInt64])
  func roundTrip(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let (path, held) = try backedUp(in: directory, seed: seed)
    let backup = try Backup(proving: path)
    #expect((backup.revision, backup.digest) == (held.revision, held.digest))
    let restored = "\(directory.path)/restored"
    try backup.restore(to: restored)
    let settings = try Dump(ofBackup: path).settings
    let store = try openStore(restored, settings: settings, catalog: nil)
    #expect(store.contents == held)
    store.expectAnswersOfLedger()
    try store.record(lifetime("after"), as: "ana")
    #expect(store.revision == held.revision + 1)
    let reopened = try openStore(try directory.copy(of: restored), settings: settings, catalog: nil)
    #expect(reopened.contents == store.contents)
  }

  @Test("No file of the store that was backed up is taken for one of the restored store")
  func identity() throws {
    let directory = try TemporaryDirectory()
    let (path, held) = try backedUp(in: directory, seed: 5)
    let restored = "\(directory.path)/restored"
    try Backup(proving: path).restore(to: restored)
    let ours = try StoredFiles(in: directory.store)
    let segment = try #require(ours.names("journal-").last)
    try write(ours.contents[segment, default: []], to: "\(restored)/\(segment)")
    let damages = try Verification(of: restored).damages
    #expect(damages.contains { if case .foreign = $0 { true } else { false } }, "\(damages)")
    #expect(held.revision > 0)
  }

  @Test("A backup of which any byte was changed, or the end is missing, is refused, and nothing is restored")
  func damaged() throws {
    let directory = try TemporaryDirectory()
    let (path, _) = try backedUp(in: directory, seed: 6)
    let bytes = try #require(try StoredFiles(in: directory.path, only: "monday.lkbackup").contents["monday.lkbackup"])
    var random = SeededRandom(seed: 6)
    for _ in 0..<300 {
      let offset = Int.random(in: 0..<bytes.count, using: &random)
      try flip(path, at: offset)
      #expect(failure { try Backup(proving: path) } != nil, "byte \(offset)")
      try flip(path, at: offset)
      try write(Array(bytes.prefix(offset)), to: path)
      #expect(failure { try Backup(proving: path) } != nil, "cut to \(offset)")
      try write(bytes, to: path)
    }
    _ = try Backup(proving: path)
  }

  @Test("A restore takes no directory that holds anything, and leaves it as it was")
  func occupied() throws {
    let directory = try TemporaryDirectory()
    let (path, _) = try backedUp(in: directory, seed: 7)
    let full = "\(directory.path)/full"
    try Directory.create(full)
    try write([1], to: "\(full)/letter.txt")
    let before = try StoredFiles(in: full)
    #expect(throws: StoreError.self) { try Backup(proving: path).restore(to: full) }
    #expect(try StoredFiles(in: full) == before)
  }

  @Test("There is nothing to back up before anything was recorded")
  func nothing() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store, catalog: nil)
    #expect(failure { try store.openBackup() } == .refused)
  }
}
