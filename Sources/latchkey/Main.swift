import Glibc

/// Where the process begins: finds the command that the first word names, and runs it with the others.
@main
enum Main {
  static func main() { exit(run(Array(CommandLine.arguments.dropFirst())).rawValue) }

  /// Runs a command line without the program's own name, and gives the status to exit with.
  static func run(_ words: [String]) -> ExitStatus {
    switch words.first {
    case nil:
      Console.complain(Help.overview)
      return .failure
    case "--help", "-h":
      Console.say(Help.overview)
      return .success
    case "--version":
      Console.say(Version.line)
      return .success
    case let name?:
      guard let command = Command.named(name) else {
        Console.complain("latchkey: there is no command \(name). `latchkey --help` lists them.")
        return .failure
      }
      return command.run(words.dropFirst())
    }
  }
}

/// The version of this build.
enum Version {
  static let text = "0.1.0"
  static let line = "latchkey \(text)"
}
