import LatchkeyClient
import LatchkeyWire

extension Command {
  static let erase = Command(
    name: "erase", summary: "forgets a customer, and says what stays for others' sake and when the rest is gone from the disk",
    operands: [.customer], options: [.by, .note] + Option.asking,
    statuses: [(.success, "erased"), (.failure, "usage or error, such as a customer for whom nothing is recorded")],
    example: "latchkey erase alice --by \"privacy desk\" --note \"request 4711\"",
    action: .concurrent { arguments in
      let erased = try await arguments.latchkey().eraseCustomer(
        arguments.words[0], by: arguments.required(.by), note: arguments.required(.note))
      arguments.show(erased) { erased.inWords }
      return .success
    })
}

extension Option {
  static let by = Option("--by", "WHO", "who decided it; kept, needed")
  static let note = Option("--note", "WHY", "the reason; kept, needed")
}

extension Arguments {
  /// The value of an option that must be given.
  func required(_ option: Option) throws(UsageError) -> String {
    guard let text = text(option) else { throw UsageError("\(option.name) is missing: \(option.meaning)") }
    return text
  }
}

extension EraseCustomerResponse {
  fileprivate var inWords: String {
    let counts = [
      "erased at revision \(revision): \(counted(transactionsRemoved, "transaction")) removed",
      "\(transactionsAnonymous) counted in refund reports without ids",
      "\(transactionsKept) kept without the customer, since others hold them or rest on them",
    ]
    let later = keptJournalDays == 0 ? "" : ", and once the journal of the \(keptJournalDays) days before is no longer kept"
    return counts.joined(separator: ", ")
      + "\nGone from the disk with the \(goneWithSnapshots == 2 ? "second" : "\(goneWithSnapshots)th") snapshot from now on that has "
      + "a revision of its own (`latchkey snapshot`)\(later); backups are yours to erase."
  }
}
