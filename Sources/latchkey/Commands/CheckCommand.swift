import LatchkeyClient

extension Command {
  static let check = Command(
    name: "check", summary: "asks whether a customer may use an entitlement, why, and until when",
    operands: [.customer, Operand(name: "ENTITLEMENT", meaning: "what the customer wants to use")],
    options: [.at] + Option.asking,
    statuses: [(.success, "allowed"), (.no, "denied"), (.failure, "usage or error")],
    example: "latchkey check alice pro --at 2026-03-01T00:00:00Z",
    action: .concurrent { arguments in
      let answer = try await arguments.latchkey().checkAccess(
        customer: arguments.words[0], entitlement: arguments.words[1], at: arguments.moment(.at))
      arguments.show(answer) { answer.inWords }
      return answer.allowed ? .success : .no
    })
}
