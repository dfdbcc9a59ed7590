import JSON
import LatchkeyClient
import LatchkeyWire

extension Command {
  static let record = Command(
    name: "record", summary: "records what Apple sent, decoded: notifications, transactions, renewal infos",
    operands: [
      Operand(
        name: "FILE", meaning: "one object, an array, or JSON lines; standard input, if it is left out or -", isRequired: false)
    ],
    options: [.recordCustomer, .sharedFrom, .source, .receivedAt] + Option.asking,
    statuses: [(.success, "all were taken"), (.failure, "usage, or some were refused; the others were taken")],
    example: "latchkey record notifications.jsonl --customer alice",
    action: .concurrent { arguments in
      let template = try recordTemplate(arguments)
      let file = try InputFile(arguments.words.first ?? "-")
      let latchkey = try arguments.latchkey()
      var recorder = DocumentRecorder(latchkey: latchkey, template: template)
      let end = await recorder.record(file)
      Console.say(arguments.has(.json) ? recorder.tally.json.compact : recorder.tally.inWords)
      if let end { throw end }
      return recorder.tally.failed == 0 ? .success : .failure
    })

  private static func recordTemplate(_ arguments: Arguments) throws(UsageError) -> RecordTransactionRequest {
    let source = try arguments.value(.source, expecting: Option.sourceNames) { Source(schemaName: $0) }
    let receivedAt = try arguments.moment(.receivedAt)
    return .with {
      $0.customerID = arguments.text(.recordCustomer) ?? ""
      $0.sharedFrom = arguments.texts(.sharedFrom)
      $0.source = source ?? .unspecified
      $0.receivedAtMilliseconds = receivedAt
    }
  }
}

extension Option {
  fileprivate static let recordCustomer = Option(
    "--customer", "ID", "who owns it", defaultMeaning: "who holds the transaction's lineage already")
  fileprivate static let sharedFrom = Option(
    "--shared-from", "ID", "the original transaction id of the purchase behind a family-shared transaction",
    isRepeatable: true)
  fileprivate static let source = Option(
    "--source", "NAME", "where it is from: \(sourceNames)",
    defaultMeaning: "server_notification for a notification, device for the others")
  fileprivate static let receivedAt = Option("--received-at", "TIME", "when it reached you", defaultMeaning: "now")

  static let sourceNames = "server_notification, device, server_api, import or operator"
}

extension Source {
  /// Finds a source by its name in lower case, as command lines and scenarios write it.
  init?(schemaName: String) {
    guard let source = Source(name: schemaName.uppercased()), schemaName == schemaName.lowercased(), source != .unspecified
    else { return nil }
    self = source
  }
}

/// What came of the documents of one input.
struct RecordTally: Sendable {
  private(set) var outcomes: [String: Int] = [:]
  private(set) var failed = 0
  private(set) var changeCount = 0
  /// The first changes, in words.
  private(set) var changes: [String] = []

  /// How many changes are told one by one.
  private static let changeLimit = 20

  var recorded: Int { outcomes.values.reduce(0, +) }

  mutating func add(_ response: RecordTransactionResponse) {
    outcomes[response.outcome.description, default: 0] += 1
    changeCount += response.changes.count
    changes += response.changes.prefix(max(0, RecordTally.changeLimit - changes.count)).map(\.inWords)
  }

  mutating func addFailure() { failed += 1 }

  /// The changes, and a summary by outcome in the last line.
  var inWords: String {
    let counts = outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" } + (failed > 0 ? ["\(failed) failed"] : [])
    let more = changeCount > changes.count ? ["and \(counted(changeCount - changes.count, "more change"))"] : []
    let summary = "recorded \(counted(recorded, "document"))" + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))
    return (changes + more + [summary]).joined(separator: "\n")
  }

  var json: JSONValue {
    let outcomes = self.outcomes.sorted { $0.key < $1.key }.map {
      JSONValue.Member(key: $0.key, value: .integer(Int64($0.value)))
    }
    return [
      "recorded": .integer(Int64(recorded)), "failed": .integer(Int64(failed)), "outcomes": .object(outcomes),
      "changes": .integer(Int64(changeCount)),
    ]
  }
}
