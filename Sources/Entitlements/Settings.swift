/// The settings on which a decision depends. They are journaled with the recordings, so that a replay decides as it was decided.
package struct Settings: Hashable, Sendable {
  package var environment: Environment = .production
  package var transferPolicy: TransferPolicy = .move
  /// Whether an unattributed transaction's `appAccountToken` is taken as the customer's id.
  package var customerFromAppAccountToken = false
  /// How much earlier than its purchase date a transaction already grants, so that a device's clock may run ahead.
  package var clockSkewMilliseconds: Int64 = 60_000
  /// The one app that this server answers for; nil: any.
  package var bundleID: String?
  /// Customers who may also hold Sandbox transactions: ids, or prefixes that end in `*`.
  package var sandboxCustomers: [String] = []

  package init() {}

  /// Whether a customer may hold Sandbox transactions against a production server.
  package func listsSandboxCustomer(_ customer: CustomerID) -> Bool {
    sandboxCustomers.contains { entry in
      entry.utf8.last == UInt8(ascii: "*")
        ? customer.text.utf8.starts(with: entry.utf8.dropLast()) : customer == Identifier(entry)
    }
  }
}

/// What happens when a recording names another customer than those who hold the transaction.
package enum TransferPolicy: String, Sendable, CaseIterable {
  /// The newest claim wins; the old holder loses it.
  case move
  /// The first holder stays.
  case keep
  /// Both hold it.
  case share
}
