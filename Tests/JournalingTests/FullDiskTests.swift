import Glibc
import Platform
import Testing

@testable import Journaling

/// The path of a file system of its own of 64 KiB to 1 MiB, which these tests fill up; see `Tests/run`.
private let smallDisk = unsafe getenv("LATCHKEY_SMALL_DISKS").map { unsafe String(cString: $0) + "/journaling" }

@Suite(.enabled(if: smallDisk != nil, "LATCHKEY_SMALL_DISKS names no small file systems; root can mount them"))
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

  private func expectOutOfSpace(_ error: JournalError) throws {
    if case .outOfSpace = error { return }
    throw error
  }
}
