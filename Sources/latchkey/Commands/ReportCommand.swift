import LatchkeyClient
import LatchkeyWire
import Protobuf

extension Command {
  static let report = Command(
    name: "report", summary: "reports on refunds, on what was served after them, and on what a customer used of a purchase",
    operands: [
      Operand(name: "KIND", meaning: "the report: refunds, leaks or consumption"),
      Operand(name: "TRANSACTION", meaning: "with consumption: the id of the purchase that Apple asks about", isRequired: false),
    ],
    options: [.since, .until, .product, .unitCost, .top, .ofCustomer, .lineageEnvironment] + Option.asking + [.csv],
    example: "latchkey report refunds --since 2026-03-01T00:00:00Z --csv",
    action: .concurrent { arguments in
      let kind = arguments.words[0]
      guard let report = reports[kind] else {
        throw UsageError("there is no report \(kind); there are: refunds, leaks, consumption")
      }
      try arguments.checkReport(kind, takes: report.options, transaction: report.takesTransaction)
      try await report.show(arguments)
      return .success
    })

  /// One kind of report: which of the options it takes, and what shows it.
  private struct Report: Sendable {
    var options: [Option]
    var takesTransaction = false
    var show: @Sendable (Arguments) async throws -> Void
  }

  private static let reports: [String: Report] = [
    "refunds": Report(options: [.since, .until, .product, .csv]) { arguments in
      let report = try await arguments.latchkey().refundReport(refundReportRequest(arguments))
      arguments.show(report, asTable: { report.table }, inWords: { report.inWords })
    },
    "leaks": Report(options: [.since, .until, .product, .unitCost, .top, .csv]) { arguments in
      let report = try await arguments.latchkey().leakReport(leakReportRequest(arguments))
      arguments.show(report, asTable: { report.table }, inWords: { report.inWords })
    },
    "consumption": Report(options: [.ofCustomer, .lineageEnvironment], takesTransaction: true) { arguments in
      let known = try await arguments.latchkey().consumption(consumptionRequest(arguments))
      arguments.show(known) { known.inWords }
    },
  ]

  private static func refundReportRequest(_ arguments: Arguments) throws(UsageError) -> GetRefundReportRequest {
    let window = try (arguments.moment(.since), arguments.moment(.until))
    return .with {
      ($0.sinceMilliseconds, $0.untilMilliseconds) = window
      $0.productID = arguments.text(.product) ?? ""
    }
  }

  private static func leakReportRequest(_ arguments: Arguments) throws(UsageError) -> GetLeakReportRequest {
    let window = try (arguments.moment(.since), arguments.moment(.until))
    let cost = try arguments.value(.unitCost, expecting: "a cost such as 0.002, with six digits of fraction at most") {
      Int64(micros: $0)
    }
    let top = try arguments.value(.top, expecting: "a number from 1 to \(Limits.linesInReport)") { text in
      UInt32(text).flatMap { (1...UInt32(Limits.linesInReport)).contains($0) ? $0 : nil }
    }
    return .with {
      ($0.sinceMilliseconds, $0.untilMilliseconds) = window
      $0.productID = arguments.text(.product) ?? ""
      ($0.unitCostMicros, $0.limit) = (cost ?? 0, top ?? 0)
    }
  }

  private static func consumptionRequest(_ arguments: Arguments) throws(UsageError) -> GetConsumptionRequest {
    let environment = try arguments.environment(.lineageEnvironment)
    return .with {
      $0.transactionID = arguments.words[1]
      $0.customerID = arguments.text(.ofCustomer) ?? ""
      $0.environment = environment
    }
  }
}

extension Option {
  fileprivate static let since = Option(
    "--since", "TIME", "with refunds and leaks: the begin of the window, such as 2026-03-01T00:00:00Z or 2026-03-01",
    defaultMeaning: "everything before its end")
  fileprivate static let until = Option(
    "--until", "TIME", "with refunds and leaks: the end of the window, which isn't in it",
    defaultMeaning: "everything since its begin")
  fileprivate static let product = Option(
    "--product", "ID", "with refunds and leaks: the one product that is reported on", defaultMeaning: "all")
  fileprivate static let unitCost = Option(
    "--unit-cost", "COST", "with leaks: what one check costs you, in any currency, such as 0.002")
  fileprivate static let top = Option("--top", "COUNT", "with leaks: how many revocations are listed", defaultMeaning: "100")
  fileprivate static let ofCustomer = Option(
    "--customer", "ID", "with consumption: whose purchase it has to be", defaultMeaning: "the first holder's")
  fileprivate static let csv = Option(
    flag: "--csv", "with refunds and leaks: prints a table for a spreadsheet, as RFC 4180 has it")
}

extension Arguments {
  /// Checks that the words and options are those of one kind of report.
  fileprivate func checkReport(_ kind: String, takes options: [Option], transaction: Bool) throws(UsageError) {
    let special: [Option] = [.since, .until, .product, .unitCost, .top, .ofCustomer, .lineageEnvironment, .csv]
    for option in special where has(option) && !options.contains(where: { $0.name == option.name }) {
      throw UsageError("\(option.name) isn't an option of the report \(kind)")
    }
    if has(.csv), has(.json) { throw UsageError("expected one of --json and --csv") }
    if transaction, words.count < 2 { throw UsageError("TRANSACTION is missing: the id of the purchase that Apple asks about") }
    if !transaction, words.count > 1 { throw UsageError("unexpected word \(words[1])") }
  }

  /// Prints a report: as a table or as JSON if that is asked for, else in words.
  fileprivate func show(_ report: some Message, asTable table: () -> CSVTable, inWords words: () -> String) {
    if has(.csv) { Console.say(table().text) } else { show(report, inWords: words) }
  }
}
