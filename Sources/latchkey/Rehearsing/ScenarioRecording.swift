import Entitlements
import JSON
import LatchkeyWire

// The step `record`.

extension Scenario.Action {
  static func record(reading object: JSONReader) throws(JSONError) -> Scenario.Action {
    let documents = ["notification", "transaction", "notification_v1"]
    try object.refuseKeys(
      otherThan: documents + ["customer", "shared_from", "source", "renewal_info", "received_at", "expect"])
    let present = documents.filter { object.value[$0] != nil }
    guard present.count == 1 else {
      throw object.error("expected exactly one of \(documents.joined(separator: ", ")); found \(present.count)")
    }
    let document = try object.required(present[0])
    _ = try document.members()
    var request = RecordTransactionRequest()
    request.appleJSON = document.value.compact
    request.renewalInfoJSON = try object.optional("renewal_info")?.value.compact ?? ""
    request.customerID = try object.optional("customer")?.string() ?? ""
    request.sharedFrom = try object.optional("shared_from")?.oneOrMore() ?? []
    request.source =
      try object.optional("source")?.word(Option.sourceNames) { Source(schemaName: $0) } ?? .unspecified
    request.receivedAtMilliseconds = try object.optional("received_at")?.time() ?? 0
    let expect = try object.optional("expect")
    request.evaluateChangesAtMilliseconds = try expect?.optional("at")?.time() ?? document.value.signedDate ?? 0
    return .record(request, try expect?.expectation() ?? .taken(Scenario.ExpectedOutcome()))
  }
}

extension JSONReader {
  /// A string, or an array of strings.
  fileprivate func oneOrMore() throws(JSONError) -> [String] {
    if case .string(let text) = value.content { return [text] }
    return try strings()
  }

  /// What a recording must lead to.
  fileprivate func expectation() throws(JSONError) -> Scenario.Expectation {
    try refuseKeys(otherThan: ["outcome", "customer", "changes", "at", "error"])
    if let error = try optional("error") {
      guard try members().count == 1 else { throw self.error("a recording that is refused has nothing but its error") }
      return .refused(try error.word("a status such as INVALID_ARGUMENT") { StatusCode(name: $0) })
    }
    var expected = Scenario.ExpectedOutcome()
    expected.outcome = try optional("outcome")?.word("an outcome of the schema such as APPLIED") { Outcome(name: $0) }
    if value["customer"] != nil {
      expected.customer = try optional("customer").map { name throws(JSONError) in .customer(try name.string()) } ?? .nobody
    }
    expected.changes = try optional("changes").map { list throws(JSONError) in
      Set(try list.elements().map { element throws(JSONError) in try element.change() })
    }
    return .taken(expected)
  }

  private func change() throws(JSONError) -> Scenario.Change {
    try refuseKeys(otherThan: ["customer", "entitlement", "allowed"])
    return Scenario.Change(
      customer: try required("customer").string(), entitlement: try required("entitlement").string(),
      allowed: try required("allowed").boolean())
  }
}

extension JSONValue {
  /// When Apple signed a notification or a transaction: its own signed date, else that of the transaction inside, in milliseconds.
  ///
  /// It is only where changes are looked at, so that anything but a moment is for the server to judge.
  fileprivate var signedDate: Int64? {
    let inner = self["data"]?["signedTransactionInfo"]
    for date in [self["signedDate"], inner?["signedDate"]] {
      if case .integer(let milliseconds) = date?.content, Time.accepted.contains(Time(milliseconds: milliseconds)) {
        return milliseconds
      }
    }
    return nil
  }
}
