extension Command {
  static let help = Command(
    name: "help", summary: "lists the commands, or says more about one",
    operands: [Operand(name: "COMMAND", meaning: "the command to say more about", isRequired: false)],
    example: "latchkey help record",
    action: .blocking { arguments in
      guard let name = arguments.words.first else {
        Console.say(Help.overview)
        return .success
      }
      guard let command = Command.named(name) else { throw UsageError("there is no command \(name)") }
      Console.say(command.help)
      return .success
    })
}
