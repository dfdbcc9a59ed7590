import LatchkeyClient
import LatchkeyWire

/// Says in words how what came differs from what was expected.
enum Comparison {
  /// Compares two values; a missing expectation always holds.
  static func values<Value: Equatable>(_ name: String, _ expected: Value?, _ actual: Value) -> [String] {
    guard let expected, expected != actual else { return [] }
    return ["\(name): expected \(expected), got \(actual)"]
  }

  /// Compares two sets; says what is missing and what is too much.
  static func sets<Element: Hashable>(_ name: String, _ expected: Set<Element>?, _ actual: Set<Element>) -> [String] {
    guard let expected, expected != actual else { return [] }
    func list(_ set: Set<Element>) -> String { set.map { "\($0)" }.sorted().joined(separator: ", ") }
    let (missing, surplus) = (expected.subtracting(actual), actual.subtracting(expected))
    let parts = [
      missing.isEmpty ? nil : "expected but missing: \(list(missing))", surplus.isEmpty ? nil : "not expected: \(list(surplus))",
    ]
    return ["\(name): " + parts.compactMap(\.self).joined(separator: "; ")]
  }
}

extension Scenario.Expectation {
  /// How what became of a recording differs from this.
  func mismatches(with result: Result<RecordTransactionResponse, LatchkeyError>) -> [String] {
    switch (self, result) {
    case (.taken(let expected), .success(let response)): expected.mismatches(with: response)
    case (.taken, .failure(let error)): ["record: \(error)"]
    case (.refused(let code), .failure(let error)):
      code == error.code ? [] : ["record: expected error \(code), got \(error)"]
    case (.refused(let code), .success(let response)): ["record: expected error \(code), got \(response.outcome)"]
    }
  }
}

extension Scenario.ExpectedOutcome {
  fileprivate func mismatches(with response: RecordTransactionResponse) -> [String] {
    let changes = Set(
      response.changes.map { Scenario.Change(customer: $0.customerID, entitlement: $0.entitlement, allowed: $0.allowed) })
    let holder: Scenario.Holder = response.customerID.isEmpty ? .nobody : .customer(response.customerID)
    return Comparison.values("outcome", outcome, response.outcome) + Comparison.values("customer", customer, holder)
      + Comparison.sets("changes", self.changes, changes)
  }
}

extension Scenario.ExpectedAnswer {
  /// How the answer to a check differs from this.
  func mismatches(with answer: CheckAccessResponse) -> [String] {
    let end: Scenario.End = answer.validUntilMilliseconds.map { .at($0) } ?? .never
    return Comparison.values("allowed", allowed, answer.allowed) + Comparison.values("reason", reason, answer.reason)
      + Comparison.values("ownership", ownership, answer.ownership) + Comparison.values("valid_until", validUntil, end)
  }
}

extension Scenario.ExpectedReport {
  /// How a refund report differs from this.
  func mismatches(with report: GetRefundReportResponse) -> [String] {
    let amounts = Dictionary(report.amounts.map { ($0.currency, $0.amountMilliunits) }) { $0 + $1 }
    let counts = report.counts.flatMap { Comparison.values($0.name, self.counts[$0.name], $0.count) }
    return counts + Comparison.sets("amounts", self.amounts.map(Scenario.Amount.set), Scenario.Amount.set(amounts))
  }
}

extension Scenario {
  /// An amount of the refund report, in milliunits.
  fileprivate struct Amount: Hashable, CustomStringConvertible {
    let currency: String
    let milliunits: Int64

    var description: String { "\(currency) \(milliunits)" }

    static func set(_ amounts: [String: Int64]) -> Set<Amount> {
      Set(amounts.map { Amount(currency: $0.key, milliunits: $0.value) })
    }
  }
}

extension Scenario.Change: CustomStringConvertible {
  var description: String { "\(customer) \(allowed ? "gains" : "loses") \(entitlement)" }
}

extension Scenario.Holder: CustomStringConvertible {
  var description: String {
    switch self {
    case .nobody: "nobody"
    case .customer(let name): name
    }
  }
}

extension Scenario.End: CustomStringConvertible {
  var description: String {
    switch self {
    case .never: "never"
    case .at(let milliseconds): milliseconds.inUTC
    }
  }
}
