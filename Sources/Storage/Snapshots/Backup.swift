import Entitlements
import Journaling

extension EntitlementStore {
  /// Takes a snapshot of now where there is none, and opens it for a backup.
  ///
  /// - Throws: `.refused` where nothing was ever recorded, `.busy` while another snapshot is under way, `.journal`.
  package func openBackup() throws(StoreError) -> SnapshotFile {
    _ = try takeSnapshot()
    let newest: SnapshotFile?
    do throws(JournalError) { newest = try journal.openNewestSnapshot() } catch { throw .journal(error) }
    guard let newest else {
      throw .refused(.precondition(field: "store", problem: "nothing was ever recorded, so there is nothing to back up"))
    }
    return newest
  }
}

/// A snapshot that left its store, proven: the file of it, as `latchkey backup` writes it.
package struct Backup: Sendable {
  private let path: String
  package let revision: UInt64
  package let digest: UInt64
  /// How many bytes the state takes in it.
  package let contentBytes: UInt64

  /// Reads a backup to its end, block by block, and compares its digest with that of what it holds.
  ///
  /// - Throws: `.journal` with the file and the offset of the first damage.
  package init(proving path: String) throws(StoreError) {
    self.path = path
    do throws(JournalError) {
      var reader = try SnapshotReader(standingAlone: path)
      (revision, digest, contentBytes) = (reader.revision, reader.digest, reader.contentBytes)
      do { try StateDigest.check(&reader) } catch let error as JournalError { throw error } catch {
        throw .rejected(place: path, error)
      }
    } catch {
      throw .journal(error)
    }
  }

  /// Makes a store of it in a directory that is missing or empty, and proves that the store holds the same.
  ///
  /// The store gets an identity of its own, and goes on with the revision after the backup's.
  /// - Throws: `.journal`; what was made is removed then, unless the store that was made isn't what it should be.
  package func restore(to directory: String) throws(StoreError) {
    do throws(JournalError) {
      try StoreFounding.found(in: directory, revision: revision, digest: digest) { writer in
        var reader = try SnapshotReader(standingAlone: path)
        while let block = try reader.next() { try writer.write(block.span) }
      }
    } catch {
      throw .journal(error)
    }
    let restored = try Verification(of: directory)
    if let damage = restored.damages.first { throw .journal(damage) }
    precondition(restored.digest == digest && restored.revision == revision, "what was restored is what was backed up")
  }
}
