import LatchkeyClient
import LatchkeyWire

extension Command {
  static let audit = Command(
    name: "audit", summary: "says what was known about a customer at a moment, and why today's answer for it differs",
    operands: [
      .customer, Operand(name: "ENTITLEMENT", meaning: "the one asked about; all, if it is left out", isRequired: false),
    ],
    options: [.at] + Option.working, example: "latchkey audit alice pro --at 2026-03-01T00:00:00Z",
    action: .concurrent { arguments in
      let audit = try await arguments.latchkey().auditAccess(
        customer: arguments.words[0], entitlement: arguments.words.count > 1 ? arguments.words[1] : "",
        at: arguments.moment(.at), deadline: arguments.patience)
      arguments.show(audit) { audit.inWords }
      return .success
    })
}

extension AuditAccessResponse {
  fileprivate var inWords: String {
    let head = "at \(atTimeMilliseconds.inUTC), by what was known then (revision \(knownRevision) of \(revision) today)"
    let lines = answers.map { answer in
      let (then, today) = (answer.then ?? EntitlementAnswer(), answer.today ?? EntitlementAnswer())
      return then.inWords + (then == today ? ", as today" : "; today for that moment: \(today.inWords)")
    }
    let nothing = customerWasKnown ? [] : ["  nothing was recorded for this customer"]
    let held = known.compactMap(\.transaction).map { "  known: transaction \($0.transactionID) (\($0.productID))" }
    return ([head] + lines + nothing + held + later.map(\.inWords)).joined(separator: "\n")
  }
}

extension LaterInput {
  fileprivate var inWords: String {
    let what = kind == "recording" ? "\(notificationType.isEmpty ? "a recording" : notificationType) from \(source)" : kind
    let ids = transactionIDs.isEmpty ? "" : ", transaction \(transactionIDs.joined(separator: ", "))"
    return "  came later: \(what)\(ids), recorded \(recordedAtMilliseconds.inUTC), revision \(revision)"
  }
}
