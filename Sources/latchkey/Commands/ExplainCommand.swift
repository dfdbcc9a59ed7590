import LatchkeyClient
import LatchkeyWire

extension Command {
  static let explain = Command(
    name: "explain", summary: "says what each transaction and grant of a customer gives, or which rule stops it and since when",
    operands: [
      .customer, Operand(name: "ENTITLEMENT", meaning: "the one asked about; all, if it is left out", isRequired: false),
    ],
    options: [.at] + Option.asking, statuses: listing,
    example: "latchkey explain alice pro",
    action: .concurrent { arguments in
      let customer = arguments.words[0]
      let entitlement = arguments.words.count > 1 ? arguments.words[1] : ""
      let explanation = try await arguments.latchkey().explainAccess(
        customer: customer, entitlement: entitlement, at: arguments.moment(.at))
      arguments.show(explanation) { explanation.customerKnown ? explanation.inWords : unknown(customer) }
      return explanation.customerKnown ? .success : .no
    })
}

extension ExplainAccessResponse {
  fileprivate var inWords: String {
    let answers = self.answers.map(\.inWords)
    let sentences = transactions.map { line in
      let subject = line.transaction.map { "transaction \($0.transactionID) (\($0.productID)) " } ?? ""
      return "  - \(subject)\(line.sentence)"
    }
    let given = grants.map { line in "  - manual grant of \(line.grant?.entitlement ?? "") \(line.sentence)" }
    return (answers + sentences + given).joined(separator: "\n")
  }
}
