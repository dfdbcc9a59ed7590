import LatchkeyClient
import LatchkeyWire

extension Command {
  static let history = Command(
    name: "history", summary: "lists the transactions and manual grants of a customer, or those behind a transaction id",
    operands: [Operand(name: "CUSTOMER", meaning: "the customer's id, unless an option names a transaction", isRequired: false)],
    options: [.transaction, .originalTransaction, .lineageEnvironment] + Option.asking, statuses: listing,
    example: "latchkey history --transaction 2000000123456789",
    action: .concurrent { arguments in
      let request = try historyRequest(arguments)
      var count = 0
      for try await page in try arguments.latchkey().historyPages(request) {
        let lines = page.entries.map(\.inWords) + page.grants.map(\.inWords)
        count += lines.count
        if arguments.has(.json) || !lines.isEmpty {
          arguments.show(page) { lines.joined(separator: "\n") }
        }
      }
      if count == 0, !arguments.has(.json) { Console.say("nothing is recorded under this id") }
      return count > 0 ? .success : .no
    })

  private static func historyRequest(_ arguments: Arguments) throws(UsageError) -> GetHistoryRequest {
    let customer = arguments.words.first
    let ids = [customer, arguments.text(.transaction), arguments.text(.originalTransaction)]
    guard ids.compactMap(\.self).count == 1 else {
      throw UsageError("expected exactly one of CUSTOMER, --transaction and --original-transaction")
    }
    let environment = try arguments.environment(.lineageEnvironment)
    return .with {
      $0.customerID = customer ?? ""
      $0.transactionID = arguments.text(.transaction) ?? ""
      $0.originalTransactionID = arguments.text(.originalTransaction) ?? ""
      $0.environment = environment
    }
  }
}

extension Option {
  fileprivate static let transaction = Option("--transaction", "ID", "a transaction id, which is what a receipt shows")
  fileprivate static let originalTransaction = Option(
    "--original-transaction", "ID", "the id that all renewals of a subscription share")
  static let lineageEnvironment = Option(
    "--environment", "NAME", "where the transaction id is from: Production, Sandbox, Xcode or LocalTesting",
    defaultMeaning: "the server's own")
}

extension Arguments {
  /// The environment of a transaction id; unspecified: the server's own.
  func environment(_ option: Option) throws(UsageError) -> LatchkeyWire.Environment {
    let names: [String: LatchkeyWire.Environment] = [
      "Production": .production, "Sandbox": .sandbox, "Xcode": .xcode, "LocalTesting": .localTesting,
    ]
    return try value(option, expecting: "Production, Sandbox, Xcode or LocalTesting") { names[$0] } ?? .unspecified
  }
}

extension HistoryEntry {
  /// The entry in one line.
  fileprivate var inWords: String {
    guard let transaction else { return "" }
    let facts: [String?] = [
      "\(transaction.transactionID) \(transaction.productID)",
      transaction.ownership == .familyShared ? "family shared" : nil,
      transaction.environment == .production || transaction.environment == .unspecified
        ? nil : transaction.environment.description,
      "bought \(transaction.purchaseDateMilliseconds.inUTC)",
      transaction.expiresDateMilliseconds.map { "expires \($0.inUTC)" },
      transaction.isUpgraded ? "upgraded" : nil,
      transaction.revocationDateMilliseconds.map { "revoked \($0.inUTC)" },
      revokedWithoutDateMilliseconds.map { "revoked at \($0.inUTC) by a REVOKE without a date" },
      refundReversed ? "a refund was reversed" : nil,
      customerIDs.isEmpty ? "held by nobody" : "held by \(customerIDs.joined(separator: ", "))",
      sharedFrom.isEmpty ? nil : "shared from \(sharedFrom.joined(separator: ", "))",
      "recorded \(recordedAtMilliseconds.inUTC) from \(source)",
    ]
    return facts.compactMap(\.self).joined(separator: ", ")
  }
}
