import Journaling
import Platform
import Storage

// What may be the trouble with a data directory, as an exit status of its own each.

extension ExitStatus {
  /// The statuses of a data directory that can't be used, as `--help` lists them.
  static let troubles: [(status: ExitStatus, meaning: String)] = [
    (.damaged, "stored bytes are damaged"), (.missingFile, "a file that the store needs is missing"),
    (.anotherStore, "a file belongs to another store"), (.noStore, "the directory isn't a store"),
    (.newerFormat, "a newer version wrote it"), (.diskFailed, "a write or sync failed"), (.diskFull, "the disk is full"),
    (.diskUnreadable, "the disk can't be read"), (.inUse, "another process has the store"),
    (.notPermitted, "it may not be read or written"),
  ]

  /// The status for why a store can't be used.
  init(_ error: StoreError) {
    if case .journal(let error) = error { self.init(error) } else { self = .failure }
  }

  /// The status for why a store can't be used.
  init(_ error: JournalError) {
    switch error {
    case .damaged, .diverged: self = .damaged
    case .missing: self = .missingFile
    case .foreign: self = .anotherStore
    case .notAStore, .occupied: self = .noStore
    case .incompatible: self = .newerFormat
    case .failed: self = .diskFailed
    case .outOfSpace: self = .diskFull
    case .inUse: self = .inUse
    case .system(let error): self.init(error)
    case .rejected(_, let error as UnreadableState): self = error.needsNewerVersion ? .newerFormat : .damaged
    case .tooLarge, .rejected: self = .failure
    }
  }

  private init(_ error: SystemError) {
    if error.isOutOfSpace {
      self = .diskFull
    } else if error.isReadOnly || error.isForbidden {
      self = .notPermitted
    } else {
      self = error.isInputOutput ? .diskUnreadable : error.isMissingFile ? .missingFile : .failure
    }
  }
}
