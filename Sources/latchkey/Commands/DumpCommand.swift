import LatchkeyClient
import Platform
import Storage

extension Command {
  static let dump = Command(
    name: "dump", summary: "prints the whole state as JSON lines, which `record` takes back into an empty store",
    operands: [
      Operand(
        name: "FROM", meaning: "a stopped data directory, or what `backup` wrote; a running server's state, if it is left out",
        isRequired: false)
    ],
    options: [.connect, .longDeadline], statuses: [(.success, "printed"), (.failure, "usage or error")] + ExitStatus.troubles,
    example: "latchkey dump ./latchkey-data > history.jsonl",
    action: .concurrent { arguments in
      let dump = try await source(of: arguments)
      var lines = 0
      dump.forEachLine { line in
        Console.say(line)
        lines += 1
      }
      Console.complain("\(counted(lines, "line")), revision \(dump.revision), digest \(dump.digest.inHexadecimal)")
      return .success
    })

  private static func source(of arguments: Arguments) async throws -> Dump {
    if let path = arguments.words.first {
      return try Directory.isDirectory(path) ? Dump(ofStore: path) : Dump(ofBackup: path)
    }
    let scratch = try TemporaryDirectory()
    let path = "\(scratch.path)/fetched.lkbackup"
    try await BackupFetch(latchkey: arguments.latchkey(), deadline: arguments.patience).write(to: path)
    return try Dump(ofBackup: path)
  }
}
