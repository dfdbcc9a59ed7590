import JSON
import LatchkeyClient
import LatchkeyWire
import Platform

extension Command {
  static let record = Command(
    name: "record", summary: "records what Apple sent, decoded, or takes back what `dump` printed",
    operands: [
      Operand(
        name: "FILE",
        meaning: "one object, an array, or JSON lines of Apple's, or a dump; standard input, if it is left out or -",
        isRequired: false)
    ],
    options: [.recordCustomer, .sharedFrom, .source, .receivedAt, .connect, .recordDeadline, .json],
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

  fileprivate static let recordDeadline = Option(
    "--deadline", "SECONDS", "how long the answer to one document may take, waiting behind others included", default: "60")

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
