import Platform

/// Why a store cannot be opened, or why something could not be stored. Each description says what to do.
package enum JournalError: Error, CustomStringConvertible {
  /// The operating system refused something before any byte of the store changed.
  case system(SystemError)
  /// Another process has the store open.
  case inUse(directory: String)
  /// The directory holds something that is no store.
  case notAStore(directory: String, reason: String)
  /// The directory isn't empty, where a store was to be made.
  case occupied(directory: String, by: String)
  /// A file that the manifest names is not there.
  case missing(file: String)
  /// Stored bytes are not what was written.
  case damaged(file: String, offset: Int, reason: String)
  /// The file was written by another store, whatever its name says.
  case foreign(file: String)
  /// Replaying the records up to a revision gives another state than they gave when they were written.
  case diverged(file: String, revision: UInt64)
  /// The file was written by a Latchkey that this one is too old to follow.
  case incompatible(file: String, reason: String)
  /// A record, a batch or a block is over its limit; nothing was written.
  case tooLarge(what: String, bytes: Int, limit: Int)
  /// The disk has no room; nothing was written, and the store is as it was.
  case outOfSpace(SystemError)
  /// A write or a sync failed, so nobody knows what is on the disk: the process must stop.
  case failed(SystemError)
  /// The caller threw while it was given what is stored, or while it gave what to store.
  case rejected(place: String, any Error)

  package var description: String {
    switch self {
    case .system(let error): "\(error)\(Self.advice(on: error))"
    case .inUse(let directory):
      "\(directory) is in use by another process. Stop that process, or choose another data directory."
    case .notAStore(let directory, let reason):
      "\(directory) is not a Latchkey store: \(reason). Choose an empty or missing directory, or restore a backup."
    case .occupied(let directory, let name):
      "\(directory) holds \(name). Choose a directory that is missing or empty; nothing was changed."
    case .missing(let file):
      "\(file) is missing, but the store needs it. Put it back, or restore a backup; `latchkey repair` says what is left without it."
    case .damaged(let file, let offset, let reason):
      "\(file) is damaged at offset \(offset): \(reason). Keep a copy of the directory and restore a backup; "
        + "`latchkey repair` says what is left without one."
    case .foreign(let file):
      "\(file) belongs to another store. Put this store's own file in its place, or restore a backup."
    case .diverged(let file, let revision):
      """
      \(file) is whole, but its records up to revision \(revision) give another state than the digest in the journal tells. Start the \
      version that wrote them, or keep a copy of the directory and restore a backup.
      """
    case .incompatible(let file, let reason):
      "\(file) was written by a newer Latchkey: \(reason). Use that version or a later one."
    case .tooLarge(let what, let bytes, let limit): "\(what) has \(bytes) bytes, and the limit is \(limit). Send less at once."
    case .outOfSpace(let error): "No room on the disk: \(error). Nothing was lost; free some space."
    case .failed(let error):
      "\(error). What reached the disk is unknown. Check the disk and start again; recovery then tells."
    case .rejected(let place, let error): "\(place) was not accepted: \(error)"
    }
  }

  /// Whether stored bytes aren't what this store wrote.
  var isDamage: Bool {
    switch self {
    case .damaged, .foreign: true
    default: false
    }
  }

  private static func advice(on error: SystemError) -> String {
    if error.isForbidden { return ". Let the user that runs latchkey read and write the directory and its files." }
    if error.isReadOnly { return ". Make the file system writable, or choose another data directory." }
    if error.isOutOfSpace { return ". Nothing was lost; free some space." }
    return error.isInputOutput ? ". The disk doesn't do what it should: check it, and copy the directory to a good one." : ""
  }

  /// Tells a lack of room, after which the store goes on, from any other failure, after which it must not.
  static func afterWriting(_ error: SystemError) -> JournalError { error.isOutOfSpace ? .outOfSpace(error) : .failed(error) }
}

/// Runs file operations whose failure leaves the store as it was.
func reading<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(JournalError) -> Result {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}

/// Runs file operations of which a failure, unless it is a lack of room, leaves the disk unknown.
func writing<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(JournalError) -> Result {
  do throws(SystemError) { return try body() } catch { throw .afterWriting(error) }
}
