extension Command {
  static let version = Command(
    name: "version", summary: "says which version this is", example: "latchkey version",
    action: .blocking { _ in
      Console.say(Version.line)
      return .success
    })
}
