import LatchkeyClient
import LatchkeyWire

extension Command {
  static let move = Command(
    name: "move", summary: "gives all that one customer holds to another, at once",
    operands: [
      Operand(name: "FROM", meaning: "the customer's id that holds it"),
      Operand(name: "TO", meaning: "the one that is to hold it, and may hold things already"),
    ],
    options: [.by, .note] + Option.asking,
    statuses: [(.success, "moved"), (.failure, "usage or error, such as a customer for whom nothing is recorded")],
    example: "latchkey move guest-17 alice --by support --note \"account merged\"",
    action: .concurrent { arguments in
      let moved = try await arguments.latchkey().moveCustomer(
        from: arguments.words[0], to: arguments.words[1], by: arguments.required(.by), note: arguments.required(.note))
      arguments.show(moved) { moved.inWords(to: arguments.words[1]) }
      return .success
    })
}

extension MoveCustomerResponse {
  fileprivate func inWords(to customer: String) -> String {
    let moved = "\(counted(transactions, "transaction")) moved to \(customer), at revision \(revision)"
    return ([moved] + changes.map(\.inWords)).joined(separator: "\n")
  }
}
