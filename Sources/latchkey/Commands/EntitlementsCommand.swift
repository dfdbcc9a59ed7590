import LatchkeyClient

extension Command {
  static let entitlements = Command(
    name: "entitlements", summary: "lists what a customer's transactions could grant, allowed or not",
    operands: [.customer], options: [.at] + Option.asking, statuses: listing,
    example: "latchkey entitlements alice",
    action: .concurrent { arguments in
      let customer = arguments.words[0]
      let list = try await arguments.latchkey().listEntitlements(customer: customer, at: arguments.moment(.at))
      arguments.show(list) {
        list.customerKnown ? list.entitlements.map(\.inWords).joined(separator: "\n") : unknown(customer)
      }
      return list.customerKnown ? .success : .no
    })

  /// The exit statuses of what lists something about a customer.
  static let listing: [(status: ExitStatus, meaning: String)] = [
    (.success, "listed"), (.no, "nothing is known of it"), (.failure, "usage or error"),
  ]

  static func unknown(_ customer: String) -> String { "\(customer): nothing is recorded for this customer" }
}
