import Glibc
import Platform
import Testing

@testable import Journaling

/// The path of a file system of its own of 64 KiB to 1 MiB, which these tests fill up; see `Tests/run`.
private let smallDisk = unsafe getenv("LATCHKEY_SMALL_DISKS").map { unsafe String(cString: $0) + "/journaling" }

@Suite(.serialized, .enabled(if: smallDisk != nil, "LATCHKEY_SMALL_DISKS names no small file systems; root can mount them"))
struct FullDiskTests {
  @Test("A full disk refuses batches and snapshots, loses nothing, and is written to again when there is room")
  func fullDisk() throws {
    let path = try #require(smallDisk) + "/store"
    TemporaryDirectory.remove(path)
    let ballast = path + "-ballast"
    try write([UInt8](repeating: 1, count: 16 << 10), to: ballast)
    var expected: [String] = []
    do {
      let (journal, _) = try open(path)
      var failures = 0
      while failures < 8 {
        let text = "\(expected.count) " + String(repeating: "f", count: failures % 2 == 0 ? 1_500 : 20)
        do throws(JournalError) {
          _ = try journal.append([record(text)])
          expected.append(text)
        } catch {
          try expectOutOfSpace(error)
          failures += 1
        }
      }
      do throws(JournalError) {
        try journal.writeSnapshot(revision: journal.lastRevision, digest: 0) {
          try $0.write([UInt8](repeating: 2, count: 1 << 20))
        }
        Issue.record("a snapshot was written without room")
      } catch { try expectOutOfSpace(error) }
      try Directory.remove(ballast)
      _ = try journal.append([record("after")])
      expected.append("after")
    }
    let recovered = try contents(of: path)
    #expect(recovered.records == expected)
    #expect(recovered.warnings.isEmpty)
    TemporaryDirectory.remove(path)
  }

  @Test("Of a write that found room for its beginning only, nothing stays behind a later and shorter one")
  func cutBack() throws {
    let path = try #require(smallDisk) + "/cut"
    TemporaryDirectory.remove(path)
    // A segment that was cut after an unfinished write has no blocks in store, so that writing to it needs room.
    do { _ = try open(path).0.append([record("a")]) }
    var stored = try files(in: path)
    let name = FileNames.segment(first: 1)
    let end = try #require(try endsOfFrames(stored[name, default: []]).last)
    stored[name]?[end] = 1
    try lay(stored, in: path)
    do {
      let (journal, recovered) = try open(path, options: JournalOptions(segmentBytes: 64 << 10))
      #expect(recovered.warnings.count == 1)
      try fill(path + "-ballast")
      do throws(JournalError) {
        _ = try journal.append([[UInt8](repeating: 7, count: 12_000)])
        Issue.record("a batch was written without room")
      } catch { try expectOutOfSpace(error) }
      try Directory.remove(path + "-ballast")
      #expect(try journal.append([record("b")]) == 2)
    }
    let recovered = try contents(of: path)
    #expect(recovered.records == ["a", "b"])
    #expect(recovered.warnings.isEmpty)
    TemporaryDirectory.remove(path)
  }

  /// Takes all the room that is left.
  private func fill(_ path: String) throws {
    let file = try File(path, for: .create)
    let page = [UInt8](repeating: 1, count: 4_096)
    for number in 0... {
      do throws(SystemError) { try file.write(page.span, at: number * page.count) } catch {
        guard error.isOutOfSpace else { throw error }
        return
      }
    }
  }

  private func expectOutOfSpace(_ error: JournalError) throws {
    if case .outOfSpace = error { return }
    throw error
  }
}
