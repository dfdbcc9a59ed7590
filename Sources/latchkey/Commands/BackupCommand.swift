import LatchkeyClient
import Platform
import Storage

extension Command {
  static let backup = Command(
    name: "backup", summary: "fetches the state of a running server into one file, as of one revision, and proves the file",
    operands: [Operand(name: "FILE", meaning: "where to write it, such as monday.lkbackup; must not exist")],
    options: Option.working, statuses: [(.success, "written and proven"), (.failure, "usage or error")] + ExitStatus.troubles,
    example: "latchkey backup /backups/monday.lkbackup",
    action: .concurrent { arguments in
      let path = arguments.words[0]
      guard try !Directory.exists(path) else { throw UsageError("\(path) exists already; name another file") }
      let backup = try await BackupFetch(latchkey: arguments.latchkey(), deadline: arguments.patience).write(to: path)
      Console.say(backup.told(arguments))
      return .success
    })

  static let restore = Command(
    name: "restore", summary: "makes a data directory of a backup, after proving it, and proves what was made",
    operands: [
      Operand(name: "FILE", meaning: "what `latchkey backup` wrote"),
      Operand(name: "DIR", meaning: "the data directory to make; must be missing or empty"),
    ],
    options: [.json], statuses: [(.success, "restored"), (.failure, "usage or error")] + ExitStatus.troubles,
    example: "latchkey restore /backups/monday.lkbackup ./latchkey-data",
    action: .blocking { arguments in
      let backup = try Backup(proving: arguments.words[0])
      try backup.restore(to: arguments.words[1])
      Console.say(backup.told(arguments))
      return .success
    })
}

extension Backup {
  /// What the backup holds, as JSON if that is asked for.
  fileprivate func told(_ arguments: Arguments) -> String {
    guard arguments.has(.json) else { return "revision \(revision), digest \(digest.inHexadecimal)" }
    return #"{"revision":\#(revision),"digest":"\#(digest.inHexadecimal)"}"#
  }
}

/// Fetches a backup piece by piece into a file that has its name only once it is whole.
struct BackupFetch {
  let latchkey: Latchkey
  let deadline: Deadline

  /// Fetches, syncs, proves, and then renames; gives what was proven.
  ///
  /// - Throws: what the server answered, or a `StoreError` with why the file couldn't be written or isn't whole; there is no file
  ///   then.
  @discardableResult
  func write(to path: String) async throws -> Backup {
    let unfinished = path + ".tmp"
    do {
      let file = try File(unfinished, for: .create)
      try await fetch(into: file)
      try file.synchronize()
      // What is read back shall come from the disk.
      try file.dropCachedPages()
      let backup = try Backup(proving: unfinished)
      try Directory.rename(unfinished, to: path)
      try Directory.synchronize(Directory.parent(of: path))
      return backup
    } catch {
      // The error that counts is the first.
      try? Directory.remove(unfinished)
      if let error = error as? SystemError { throw StoreError.journal(.system(error)) }
      throw error
    }
  }

  private func fetch(into file: borrowing File) async throws {
    var piece = try await latchkey.readBackup(deadline: deadline)
    var offset = 0
    var progress = ProgressClock()
    while true {
      try file.write(piece.content.span, at: offset)
      offset += piece.content.count
      if offset >= piece.fileBytes { return }
      guard !piece.content.isEmpty else { throw Failure("the server's backup ends at \(offset) of \(piece.fileBytes) bytes") }
      if progress.isDue() { Console.complain("\(offset) of \(piece.fileBytes) bytes") }
      piece = try await latchkey.readBackup(revision: piece.revision, from: UInt64(offset), deadline: deadline)
    }
  }
}
