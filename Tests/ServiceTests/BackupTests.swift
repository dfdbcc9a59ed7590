import LatchkeyWire
import Platform
import Service
import Storage
import Testing

/// ReadBackup and RestoreEntry.
@Suite struct BackupTests {
  private func piece(_ running: RunningService, revision: UInt64 = 0, offset: UInt64 = 0) throws -> ReadBackupResponse {
    try running.call(.readBackup, request(revision, offset), as: ReadBackupResponse.self)
  }

  private func request(_ revision: UInt64, _ offset: UInt64) -> ReadBackupRequest {
    .with { ($0.revision, $0.offset) = (revision, offset) }
  }

  /// A service that holds more than a piece of a backup.
  private func large() throws -> RunningService {
    let running = try RunningService()
    // Long reasons are what takes the most room for the fewest calls.
    let note = String(repeating: "n", count: 1_000)
    for number in 0..<1_500 {
      _ = running.send(
        Request(
          .grantAccess,
          GrantAccessRequest.with {
            ($0.customerID, $0.entitlement, $0.by, $0.note) = ("customer \(number)", "pro", "support", note)
          }))
    }
    try running.record(.subscription("1"))
    return running
  }

  @Test("A backup comes in pieces of a mebibyte that together are the file of the snapshot, whatever is recorded meanwhile")
  func pieces() throws {
    let running = try large()
    let first = try piece(running)
    #expect(first.revision == running.store.revision)
    #expect(first.fileBytes > 1 << 20)
    var file = first.content
    while file.count < first.fileBytes {
      try running.record(.subscription("\(file.count)"))
      _ = try running.call(.takeSnapshot, TakeSnapshotRequest(), as: TakeSnapshotResponse.self)
      let next = try piece(running, revision: first.revision, offset: UInt64(file.count))
      #expect((next.revision, next.fileBytes) == (first.revision, first.fileBytes))
      #expect((1...1 << 20).contains(next.content.count))
      file += next.content
    }
    #expect(try piece(running, revision: first.revision, offset: first.fileBytes).content.isEmpty)
    let scratch = try TemporaryDirectory()
    let path = "\(scratch.path)/fetched"
    try File(path, for: .create).write(file.span, at: 0)
    #expect(try Backup(proving: path).revision == first.revision)
  }

  @Test("A backup that isn't the last one begun is ABORTED, and what lies behind the file is OUT_OF_RANGE")
  func refused() throws {
    let running = try RunningService()
    #expect(try running.failure(.readBackup, request(0, 0)).code == .failedPrecondition)
    try running.record(.subscription("1"))
    #expect(try running.failure(.readBackup, request(0, 1)).message == "offset: a backup begins at 0")
    let begun = try piece(running)
    #expect(try running.failure(.readBackup, request(begun.revision, begun.fileBytes + 1)).code == .outOfRange)
    #expect(try running.failure(.readBackup, request(begun.revision, .max)).code == .outOfRange)
    try running.record(.subscription("2"))
    _ = try piece(running)
    let aborted = try running.failure(.readBackup, request(begun.revision, 0))
    #expect(aborted.code == .aborted)
    #expect(aborted.message.contains("begin it again"))
  }

  @Test("A restored entry answers checks at once, and another one in its place is refused")
  func restored() throws {
    let running = try RunningService()
    func line(_ entitlement: String) -> RestoreEntryRequest {
      .with {
        $0.entryJSON = """
          {"latchkey_entry":{"customer_grants":{"customer_id":"ana","grants":[{"entitlement":"\(entitlement)","from_ms":1,\
          "by":"support","note":"goodwill","recorded_at_ms":1}]}}}
          """
      }
    }
    let restored = try running.call(.restoreEntry, line("pro"), as: RestoreEntryResponse.self)
    #expect(restored.revision == running.store.revision && !restored.wasThere)
    #expect(try running.check("ana", "pro").allowed)
    #expect(try running.call(.restoreEntry, line("pro"), as: RestoreEntryResponse.self).wasThere)
    let other = try running.failure(.restoreEntry, line("plus"))
    #expect(other.code == .failedPrecondition)
    #expect(other.message.contains("this server holds another one"))
    let malformed = try running.failure(.restoreEntry, RestoreEntryRequest.with { $0.entryJSON = "{" })
    #expect(malformed.code == .invalidArgument && malformed.message.hasPrefix("entry_json: "))
  }
}
