import AppStore
import Entitlements
import JSON
import LatchkeyWire
import Platform

extension Scenario {
  /// Reads a scenario.
  /// - Throws: `JSONError` with line and path of what is malformed, missing or unknown. Apple's objects may carry any key.
  init(parsing bytes: [UInt8], file: String) throws(JSONError) {
    let root = try JSONDocument(parsing: bytes, sizeLimit: InputFile.sizeLimit).root
    try root.refuseKeys(otherThan: ["name", "why", "settings", "catalog", "steps"])
    self.file = file
    name = try root.optional("name")?.string() ?? ""
    _ = try root.optional("why")?.string()
    settings = try root.optional("settings").map { object throws(JSONError) in try Settings(reading: object) } ?? Settings()
    catalog = try root.optional("catalog").map { object throws(JSONError) in try Catalog(reading: object) } ?? Catalog()
    steps = try root.required("steps").elements().map { element throws(JSONError) in try Step(reading: element) }
  }
}

extension Settings {
  fileprivate init(reading object: JSONReader) throws(JSONError) {
    self.init()
    try object.refuseKeys(otherThan: [
      "environment", "transfer_policy", "customer_from_app_account_token", "clock_skew_ms", "bundle_id", "sandbox_customers",
    ])
    environment =
      try object.optional("environment")?.word("Production, Sandbox, Xcode or LocalTesting") {
        Entitlements.Environment(known: $0)
      } ?? environment
    transferPolicy =
      try object.optional("transfer_policy")?.word("move, keep or share") { TransferPolicy(rawValue: $0) } ?? transferPolicy
    customerFromAppAccountToken =
      try object.optional("customer_from_app_account_token")?.boolean() ?? customerFromAppAccountToken
    clockSkewMilliseconds = try object.optional("clock_skew_ms")?.count() ?? clockSkewMilliseconds
    bundleID = try object.optional("bundle_id")?.string()
    sandboxCustomers = try object.optional("sandbox_customers")?.strings() ?? []
  }
}

extension Scenario.Step {
  fileprivate init(reading object: JSONReader) throws(JSONError) {
    let members = try object.members()
    guard members.count == 1 else {
      throw object.error("expected exactly one key, which says what the step does; found \(members.count)")
    }
    try object.refuseKeys(otherThan: Scenario.Step.actions.keys.sorted())
    guard let read = Scenario.Step.actions[members[0].key] else { preconditionFailure("its key is a known one") }
    line = object.line
    action = try read(object.required(members[0].key))
  }

  private typealias Reading = @Sendable (JSONReader) throws(JSONError) -> Scenario.Action

  /// How the value of each key of a step is read.
  private static let actions: [String: Reading] = [
    "record": { value throws(JSONError) in try .record(reading: value) },
    "check": { value throws(JSONError) in try .check(reading: value) },
    "entitlements": { value throws(JSONError) in try .entitlements(reading: value) },
    "rebuild": { value throws(JSONError) in try .rebuild(reading: value) },
    "catalog": { value throws(JSONError) in .catalog(try Catalog(reading: value)) },
    "restart": { value throws(JSONError) in
      .restart(try value.word("clean or kill") { Scenario.Ending(rawValue: $0) })
    },
    "snapshot": { value throws(JSONError) in
      try value.refuseKeys(otherThan: [])
      return .snapshot
    },
    "report": { value throws(JSONError) in try .report(reading: value) },
    "grant": { value throws(JSONError) in try .grant(reading: value) },
    "ungrant": { value throws(JSONError) in try .ungrant(reading: value) },
  ]
}

// MARK: - Steps but recordings

extension Scenario.Action {
  fileprivate static func check(reading object: JSONReader) throws(JSONError) -> Scenario.Action {
    try object.refuseKeys(otherThan: ["customer", "entitlement", "at", "allowed", "reason", "ownership", "valid_until"])
    let request = CheckAccessRequest(
      customerID: try object.required("customer").string(), entitlement: try object.required("entitlement").string(),
      atTimeMilliseconds: try object.optional("at")?.time() ?? 0)
    var expected = Scenario.ExpectedAnswer(allowed: try object.required("allowed").boolean())
    expected.reason = try object.optional("reason")?.word("a reason of the schema") { Reason(name: $0) }
    expected.ownership = try object.optional("ownership")?.word("PURCHASED or FAMILY_SHARED") { Ownership(name: $0) }
    if object.value["valid_until"] != nil {
      expected.validUntil = try object.optional("valid_until").map { end throws(JSONError) in .at(try end.time()) } ?? .never
    }
    return .check(request, expected)
  }

  fileprivate static func entitlements(reading object: JSONReader) throws(JSONError) -> Scenario.Action {
    try object.refuseKeys(otherThan: ["customer", "at", "are"])
    var request = ListEntitlementsRequest()
    request.customerID = try object.required("customer").string()
    request.atTimeMilliseconds = try object.optional("at")?.time() ?? 0
    return .entitlements(request, are: Set(try object.required("are").strings()))
  }

  fileprivate static func rebuild(reading object: JSONReader) throws(JSONError) -> Scenario.Action {
    try object.refuseKeys(otherThan: ["customer", "lineage", "everyone", "dry_run", "history", "corrections"])
    var request = RebuildEntitlementsRequest()
    request.customerID = try object.optional("customer")?.string() ?? ""
    request.originalTransactionID = try object.optional("lineage")?.string() ?? ""
    request.everyone = try object.optional("everyone")?.boolean() ?? false
    request.dryRun = try object.optional("dry_run")?.boolean() ?? false
    if let history = try object.optional("history") {
      _ = try history.elements()
      request.historyJSON = history.value.compact
    }
    let corrections = try object.optional("corrections")?.count()
    return .rebuild(request, corrections: corrections.map { UInt64($0) })
  }

  fileprivate static func report(reading object: JSONReader) throws(JSONError) -> Scenario.Action {
    let names = GetRefundReportResponse().counts.map(\.name)
    try object.refuseKeys(otherThan: names + ["amounts"])
    var expected = Scenario.ExpectedReport()
    for name in names { expected.counts[name] = try object.optional(name)?.integer() }
    guard let amounts = try object.optional("amounts") else { return .report(expected) }
    expected.amounts = [:]
    for member in try amounts.members() { expected.amounts?[member.key] = try amounts.required(member.key).integer() }
    return .report(expected)
  }

  fileprivate static func grant(reading object: JSONReader) throws(JSONError) -> Scenario.Action {
    try object.refuseKeys(otherThan: ["customer", "entitlement", "by", "note", "from", "until"])
    var request = try GrantAccessRequest(reading: object)
    request.by = try object.required("by").string()
    request.note = try object.required("note").string()
    request.fromMilliseconds = try object.optional("from")?.time() ?? 0
    request.untilMilliseconds = try object.optional("until")?.time()
    return .grant(request)
  }

  fileprivate static func ungrant(reading object: JSONReader) throws(JSONError) -> Scenario.Action {
    try object.refuseKeys(otherThan: ["customer", "entitlement", "by", "note", "at"])
    var request = try GrantAccessRequest(reading: object)
    request.takeBack = true
    request.by = try object.optional("by")?.string() ?? "rehearsal"
    request.note = try object.optional("note")?.string() ?? "the scenario says so"
    request.atMilliseconds = try object.optional("at")?.time() ?? 0
    return .grant(request)
  }
}

extension GrantAccessRequest {
  fileprivate init(reading object: JSONReader) throws(JSONError) {
    self.init()
    customerID = try object.required("customer").string()
    entitlement = try object.required("entitlement").string()
  }
}

// MARK: - Values

extension JSONReader {
  /// The line on which the value begins, counted from 1.
  var line: Int { error("").line }

  /// A time in ISO 8601, in milliseconds since 1970.
  func time() throws(JSONError) -> Int64 {
    try word("a time in UTC such as 2026-03-01T00:00:00Z") { Moment(iso8601: $0)?.milliseconds }
  }

  /// An integer that isn't negative.
  func count() throws(JSONError) -> Int64 {
    let count = try integer()
    guard count >= 0 else { throw error("expected a number from 0 on, found \(count)") }
    return count
  }

  /// A string that stands for something else.
  func word<Value>(_ expected: String, _ convert: (String) -> Value?) throws(JSONError) -> Value {
    let text = try string()
    guard let value = convert(text) else { throw error("expected \(expected), found \(JSONReader.quoted(text))") }
    return value
  }

  /// An array of strings.
  func strings() throws(JSONError) -> [String] {
    try elements().map { element throws(JSONError) in try element.string() }
  }
}
