import Entitlements
import Testing

/// What can never be right about an operator's word.
struct GrantingValidationTests {
  private static func granting(_ change: (inout Granting) -> Void) -> Granting {
    var granting = Granting(
      customer: "ana", entitlement: "pro", by: "support", note: "goodwill", recordedAt: day(0),
      act: .give(from: day(0), until: nil))
    change(&granting)
    return granting
  }

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
  private static let tooLate = Moment(milliseconds: Moment.accepted.upperBound.milliseconds + 1)

  static let good: [Granting] = [
    granting { $0.customer = Identifier(text(128)) }, granting { $0.entitlement = Identifier(text(128)) },
    granting { $0.by = text(128) }, granting { $0.note = text(1_024) }, granting { $0.note = " é" },
    granting { $0.act = .give(from: day(0), until: day(0, plus: 1)) },
    granting { $0.act = .give(from: Moment.accepted.lowerBound, until: Moment.accepted.upperBound) },
    granting { $0.act = .takeBack(at: Moment.accepted.upperBound) },
  ]

  @Test(arguments: good) func `what is at its limit is taken`(granting: Granting) throws { try granting.validate() }

  static let bad: [(Granting, String)] = [
    (granting { $0.customer = "" }, "customer_id"), (granting { $0.customer = Identifier(text(129)) }, "customer_id"),
    (granting { $0.entitlement = "" }, "entitlement"), (granting { $0.entitlement = Identifier(text(129)) }, "entitlement"),
    (granting { $0.by = "" }, "by"), (granting { $0.by = " \n" }, "by"), (granting { $0.by = text(129) }, "by"),
    (granting { $0.note = "" }, "note"), (granting { $0.note = "\t " }, "note"), (granting { $0.note = text(1_025) }, "note"),
    (granting { $0.act = .give(from: Moment(milliseconds: -1), until: nil) }, "from_ms"),
    (granting { $0.act = .give(from: tooLate, until: nil) }, "from_ms"),
    (granting { $0.act = .give(from: day(0), until: tooLate) }, "until_ms"),
    (granting { $0.act = .give(from: day(0), until: day(0)) }, "until_ms"),
    (granting { $0.act = .give(from: day(0), until: day(0, plus: -1)) }, "until_ms"),
    (granting { $0.act = .takeBack(at: Moment(milliseconds: -1)) }, "at_ms"),
    (granting { $0.act = .takeBack(at: tooLate) }, "at_ms"),
  ]

  @Test(arguments: bad) func `what can never be right is refused by the name of its field`(granting: Granting, field: String) {
    #expect {
      try granting.validate()
    } throws: { error in
      guard case .invalid(field, _) = error as? Refusal else { return false }
      return true
    }
  }
}
