import LatchkeyClient
import LatchkeyWire

extension Command {
  static let grant = Command(
    name: "grant", summary: "gives a customer an entitlement by hand, whatever was bought or refunded",
    operands: [.customer, Operand(name: "ENTITLEMENT", meaning: "what the customer may use")],
    options: [.by, .note, .grantUntil, .forever, .grantFrom] + Option.asking,
    example: #"latchkey grant alice pro --by bob@support --note "lost a week in the outage" --until 2026-04-01T00:00:00Z"#,
    action: .concurrent { arguments in
      let until = try grantEnd(arguments)
      let granted = try await arguments.latchkey().grantAccess(
        customer: arguments.words[0], entitlement: arguments.words[1], by: arguments.required(.by),
        note: arguments.required(.note), from: arguments.moment(.grantFrom), until: until)
      arguments.show(granted) { granted.inWords }
      return .success
    })

  static let ungrant = Command(
    name: "ungrant", summary: "takes back what was given by hand: every grant of the entitlement that would end later",
    operands: [.customer, Operand(name: "ENTITLEMENT", meaning: "what was given")],
    options: [.by, .note, .takeBackAt] + Option.asking,
    example: #"latchkey ungrant alice pro --by bob@support --note "a mistake""#,
    action: .concurrent { arguments in
      let ended = try await arguments.latchkey().takeBackAccess(
        customer: arguments.words[0], entitlement: arguments.words[1], by: arguments.required(.by),
        note: arguments.required(.note), at: arguments.moment(.takeBackAt))
      arguments.show(ended) { ended.inWords }
      return .success
    })

  /// When a grant ends; nil: never, which must be said.
  private static func grantEnd(_ arguments: Arguments) throws(UsageError) -> Int64? {
    guard arguments.has(.grantUntil) != arguments.has(.forever) else {
      throw UsageError("say when the grant ends: give either --until TIME or --forever")
    }
    return arguments.has(.forever) ? nil : try arguments.moment(.grantUntil)
  }
}

extension Option {
  fileprivate static let grantUntil = Option("--until", "TIME", "when it ends, such as 2026-03-01T00:00:00Z")
  fileprivate static let forever = Option(flag: "--forever", "it never ends, unless it is taken back")
  fileprivate static let grantFrom = Option("--from", "TIME", "when it begins", defaultMeaning: "now")
  fileprivate static let takeBackAt = Option("--at", "TIME", "when it ends", defaultMeaning: "now")
}

extension GrantAccessResponse {
  /// What changed now, and the customer's grants of the entitlement.
  fileprivate var inWords: String {
    let changed = changes.isEmpty ? ["no answer of now changed"] : changes.map(\.inWords)
    return (changed + grants.map { "  - \($0.inWords)" }).joined(separator: "\n")
  }
}

extension ManualGrant {
  /// The grant in one line.
  var inWords: String {
    let facts: [String?] = [
      "\(entitlement) by hand from \(fromMilliseconds.inUTC)",
      untilMilliseconds.map { "until \($0.inUTC)" } ?? "without an end",
      "given by \(by) (\(note))",
      takenBackAtMilliseconds.map { "taken back as of \($0.inUTC) by \(takenBackBy) (\(takenBackNote))" },
      "recorded \(recordedAtMilliseconds.inUTC)",
    ]
    return facts.compactMap(\.self).joined(separator: ", ")
  }
}
