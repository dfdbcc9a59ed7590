import Journaling
import LatchkeyWire
import Storage

// ReadBackup.

extension EntitlementService {
  /// How many bytes of a backup go into one answer.
  private static let backupPieceBytes = 1 << 20

  /// Begins a backup by a snapshot, or gives the next piece of the one that was begun last.
  func readBackup(_ call: Call) {
    guard let request = call.request(ReadBackupRequest.self) else { return }
    if request.revision == 0 {
      // In the queue of snapshots, since it takes one.
      operations.run(call) { call in call.answer { () throws(Status) in try self.beginBackup(request) } }
    } else {
      histories.run(call) { call in call.answer { () throws(Status) in try self.goOn(request) } }
    }
  }

  private func beginBackup(_ request: ReadBackupRequest) throws(Status) -> ReadBackupResponse {
    guard request.offset == 0 else { throw Status(.invalidArgument, "offset: a backup begins at 0") }
    do throws(StoreError) {
      let file = try store.openBackup()
      backup.withLock { $0 = file }
      return try piece(of: file, at: 0)
    } catch {
      throw error.status
    }
  }

  private func goOn(_ request: ReadBackupRequest) throws(Status) -> ReadBackupResponse {
    guard let file = backup.withLock({ $0 }), file.revision == request.revision else {
      throw Status(.aborted, "revision: the backup of revision \(request.revision) isn't at hand any more; begin it again")
    }
    guard let offset = Int(exactly: request.offset), offset <= file.byteCount else {
      throw Status(.outOfRange, "offset: the backup has \(file.byteCount) bytes")
    }
    do throws(StoreError) { return try piece(of: file, at: offset) } catch { throw error.status }
  }

  private func piece(of file: SnapshotFile, at offset: Int) throws(StoreError) -> ReadBackupResponse {
    do throws(JournalError) {
      let content = try file.read(EntitlementService.backupPieceBytes, at: offset)
      return ReadBackupResponse.with {
        ($0.revision, $0.fileBytes, $0.content) = (file.revision, UInt64(file.byteCount), content)
      }
    } catch {
      throw .journal(error)
    }
  }
}
