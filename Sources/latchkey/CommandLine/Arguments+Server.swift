import LatchkeyClient
import LatchkeyWire
import Protobuf

extension Arguments {
  /// A client of the server that the options name. It fails at once where that can't be reached, as suits a command line.
  func latchkey() throws -> Latchkey {
    var options = Options()
    options.clientName = "latchkey-cli/\(Version.text)"
    options.waitsForServer = false
    options.deadline = try deadline()
    do {
      return try Latchkey(address: text(.connect) ?? "", options: options)
    } catch {
      throw UsageError("--connect: \(error.message)")
    }
  }

  /// How long a call may take; nil: as long as it takes.
  private func deadline() throws(UsageError) -> Duration? {
    try value(.deadline, expecting: "seconds between 0.001 and 1000000") { text in
      Double(text).flatMap { (0.001...1_000_000).contains($0) ? Duration.seconds($0) : nil }
    }
  }

  /// The deadline of work that takes as long as it takes unless the options say otherwise.
  var patience: Deadline { has(.deadline) ? .byOptions : .never }

  /// The moment asked about in milliseconds; 0: now.
  func moment(_ option: Option) throws(UsageError) -> Int64 {
    try value(option, expecting: "a time in UTC such as 2026-03-01T00:00:00Z") { Time(iso8601: $0)?.milliseconds } ?? 0
  }

  /// Prints an answer: as JSON if that is asked for, else in words.
  func show(_ answer: some Message, inWords words: () -> String) {
    Console.say(has(.json) ? JSONPrinter.print(answer) : words())
  }
}
