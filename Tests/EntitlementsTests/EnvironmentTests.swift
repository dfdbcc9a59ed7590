import Entitlements
import Testing

/// Rule 2: right app and environment.
struct EnvironmentTests {
  @Test func `another app's transaction is refused, naming both, and changes nothing`() throws {
    var ledger = Ledger.sample { $0.bundleID = "com.example.app" }
    let refusal = #expect(throws: Refusal.self) { try ledger.record(monthly("1"), as: "ana", bundleID: "com.example.other") }
    guard case .precondition(let field, let problem) = refusal else { return #expect(refusal == nil) }
    #expect(field == "transaction.bundle_id")
    #expect(problem.contains("com.example.app") && problem.contains("com.example.other"))
    #expect(ledger.contents == Ledger.sample().contents)
  }

  @Test func `a missing bundle id counts as equal, and so does any where none is configured`() throws {
    var strict = Ledger.sample { $0.bundleID = "com.example.app" }
    #expect(try strict.record(monthly("1"), as: "ana").outcome == .applied)
    #expect(try strict.record(monthly("2"), as: "ana", bundleID: "com.example.app").outcome == .applied)
    var any = Ledger.sample()
    #expect(try any.record(monthly("1"), as: "ana", bundleID: "com.example.other").outcome == .applied)
  }

  @Test(arguments: [Environment.sandbox, .xcode, .localTesting, .other("Moon")])
  func `another environment is refused, naming both`(environment: Environment) throws {
    var ledger = Ledger.sample()
    let refusal = #expect(throws: Refusal.self) { try ledger.record(monthly("1") { $0.environment = environment }, as: "ana") }
    guard case .precondition(let field, let problem) = refusal else { return #expect(refusal == nil) }
    #expect(field == "transaction.environment")
    #expect(problem.contains("Production") && problem.contains(environment.text))
    #expect(ledger.contents == Ledger.sample().contents)
  }

  @Test func `a missing environment counts as the server's`() throws {
    var ledger = Ledger.sample { $0.environment = .sandbox }
    try ledger.record(monthly("1"), as: "ana")
    #expect(try ledger.record(monthly("1") { $0.environment = .sandbox }, as: "ana").outcome == .duplicate)
    #expect(throws: Refusal.self) { try ledger.record(monthly("1") { $0.environment = .production }, as: "ana") }
  }

  @Test func `a renewal info alone is refused for the same reasons`() throws {
    var ledger = Ledger.sample { $0.bundleID = "com.example.app" }
    let info = renewal(of: "1", signed: day(0), environment: .sandbox)
    let wrongPlace = #expect(throws: Refusal.self) { try ledger.record(info, as: "ana") }
    let wrongApp = #expect(throws: Refusal.self) { try ledger.record(renewal(of: "1", signed: day(0)), bundleID: "other") }
    guard case .precondition(let field, _) = wrongPlace, case .precondition(let other, _) = wrongApp else {
      return #expect(wrongPlace == nil)
    }
    #expect(field == "renewal_info.environment")
    #expect(other == "renewal_info.bundle_id")
    #expect(ledger.contents == Ledger.sample().contents)
  }

  // MARK: - Sandbox customers

  @Test func `a listed customer may hold sandbox transactions too, which no report counts`() throws {
    var ledger = Ledger.sample { $0.sandboxCustomers = ["review", "tester-*"] }
    for customer in ["review", "tester-", "tester-7"] as [CustomerID] {
      let id = Identifier("1" + customer.text)
      try ledger.record(
        lifetime(id) {
          $0.environment = .sandbox
          $0.refund(at: day(10))
        }, as: customer)
      #expect(ledger.reason(customer, at: day(1)) == .purchased)
    }
    #expect(ledger.refundReport().isEmpty)
    for customer in ["reviewer", "tester", "Tester-7", "ana"] as [CustomerID] {
      #expect(throws: Refusal.self) { try ledger.record(lifetime("9") { $0.environment = .sandbox }, as: customer) }
    }
  }

  @Test func `a sandbox transaction for nobody known is refused`() throws {
    var ledger = Ledger.sample { $0.sandboxCustomers = ["review"] }
    #expect(throws: Refusal.self) { try ledger.record(lifetime("1") { $0.environment = .sandbox }) }
    try ledger.record(lifetime("1") { $0.environment = .sandbox }, as: "review")
    #expect(try ledger.record(lifetime("1") { ($0.environment, $0.signedDate) = (.sandbox, day(1)) }).outcome == .applied)
  }

  @Test func `being listed opens the sandbox and no other environment`() throws {
    var ledger = Ledger.sample { $0.sandboxCustomers = ["*"] }
    #expect(throws: Refusal.self) { try ledger.record(lifetime("1") { $0.environment = .xcode }, as: "ana") }
  }

  @Test func `taking a customer off the list refuses what comes later and changes nothing that is held`() throws {
    var ledger = Ledger.sample { $0.sandboxCustomers = ["review"] }
    let version = lifetime("1") { $0.environment = .sandbox }
    try ledger.record(version, as: "review")
    ledger.replace(settings: Settings())
    #expect(ledger.reason("review", at: day(1)) == .purchased)
    #expect(throws: Refusal.self) { try ledger.record(version, as: "review") }
  }

  @Test func `the same ids in two environments are two transactions`() throws {
    var ledger = Ledger.sample { $0.sandboxCustomers = ["review"] }
    try ledger.record(lifetime("1"), as: "ana")
    try ledger.record(
      lifetime("1") {
        $0.environment = .sandbox
        $0.refund(at: day(1))
      }, as: "review")
    #expect(ledger.reason("ana", at: day(5)) == .purchased)
    #expect(ledger.reason("review", at: day(5)) == .refunded)
    #expect(ledger.holders(of: "1") == ["ana"])
  }

  @Test func `a link reaches purchases of its own environment alone`() throws {
    var ledger = Ledger.sample { $0.sandboxCustomers = ["review"] }
    try ledger.record(lifetime("1") { $0.refund(at: day(3)) }, as: "ana")
    try ledger.record(
      lifetime("2") {
        $0.environment = .sandbox
        $0.share()
      }, as: "review", sharedFrom: ["1"])
    #expect(ledger.reason("review", at: day(5)) == .familyShared)
  }
}
