import LatchkeyClient
import LatchkeyWire
import Platform
import Protobuf

extension Command {
  static let rebuild = Command(
    name: "rebuild", summary: "folds entitlements anew from their transactions, and says what was wrong",
    options: [.rebuiltCustomer, .lineage, .everyone, .lineageEnvironment, .dryRun, .history] + Option.working,
    example: "latchkey rebuild --customer alice --history history.json --dry-run",
    action: .concurrent { arguments in
      let request = try rebuildRequest(arguments)
      let latchkey = try arguments.latchkey()
      defer { latchkey.close() }
      for try await step in latchkey.rebuildEntitlements(request, deadline: arguments.patience) {
        if arguments.has(.json) { Console.say(JSONPrinter.print(step)) } else { show(step, isDryRun: request.dryRun) }
      }
      return .success
    })

  private static func rebuildRequest(_ arguments: Arguments) throws -> RebuildEntitlementsRequest {
    let scopes = [arguments.has(.rebuiltCustomer), arguments.has(.lineage), arguments.has(.everyone)]
    guard scopes.filter(\.self).count == 1 else {
      throw UsageError("expected exactly one of --customer, --lineage and --everyone")
    }
    let environment = try arguments.environment(.lineageEnvironment)
    let history = try arguments.text(.history).map { try InputFile.text($0) } ?? ""
    return .with {
      $0.customerID = arguments.text(.rebuiltCustomer) ?? ""
      $0.originalTransactionID = arguments.text(.lineage) ?? ""
      $0.everyone = arguments.has(.everyone)
      $0.dryRun = arguments.has(.dryRun)
      $0.historyJSON = history
      $0.environment = environment
    }
  }

  private static func show(_ step: RebuildProgress, isDryRun: Bool) {
    for correction in step.corrections { Console.say(correction.inWords) }
    guard let summary = step.summary else {
      return Console.complain("\(step.customers) of \(counted(step.customersTotal, "customer"))")
    }
    for change in summary.changes { Console.say("by the history: \(change.inWords)") }
    for id in summary.notListed { Console.say("held, but not in the history: transaction \(id)") }
    Console.say(summary.inWords + (isDryRun ? " (nothing was changed: a dry run)" : ""))
  }
}

extension Option {
  fileprivate static let rebuiltCustomer = Option("--customer", "ID", "rebuilds one customer")
  fileprivate static let lineage = Option("--lineage", "ID", "rebuilds everyone whose answers rest on an original transaction id")
  fileprivate static let everyone = Option(flag: "--everyone", "rebuilds everyone")
  fileprivate static let dryRun = Option(flag: "--dry-run", "says what would be corrected, and changes nothing")
  fileprivate static let history = Option(
    "--history", "FILE", "with --customer: a JSON array of Apple's decoded transactions, of which what is new is recorded first")
}

extension Correction {
  fileprivate var inWords: String {
    let moment = (before ?? after)?.atTimeMilliseconds ?? 0
    let subject = entitlement.isEmpty ? "whatever no transaction of theirs could grant" : entitlement
    return "\(customerID): \(subject) was \(before?.inWords ?? "unknown") and is \(after?.inWords ?? "unknown")"
      + " (at \(moment.inUTC))"
  }
}

extension CorrectedAnswer {
  fileprivate var inWords: String { latchkey.inWords(allowed: allowed, reason: reason, validUntil: validUntilMilliseconds) }
}

extension RebuildSummary {
  fileprivate var inWords: String {
    "\(counted(customers, "customer")), \(counted(transactions, "transaction")), \(counted(corrections, "correction")), "
      + "\(recorded) recorded from the history, at revision \(revision)"
  }
}
