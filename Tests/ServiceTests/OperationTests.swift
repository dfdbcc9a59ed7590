import AppStore
import Entitlements
import LatchkeyWire
import Platform
import Service
import Testing

/// Hello, the health check, TakeSnapshot, ReloadConfiguration.
@Suite struct OperationTests {
  @Test("Hello tells version, revision and limits, and notes who understands control frames", arguments: [false, true])
  func hello(controlFrames: Bool) throws {
    let running = try RunningService()
    try running.record(.subscription("1"))
    let streamID = running.nextStreamID()
    let request = Request(.hello, HelloRequest.with { ($0.clientName, $0.controlFrames) = ("test/1", controlFrames) })
    let read = running.read([(streamID, request.encoded())])
    #expect(read.usesControlFrames == controlFrames)
    let response = try HelloResponse(decoding: running.response(on: streamID).payload)
    #expect(response.serverVersion == "1.2.3")
    #expect(response.revision == running.store.revision)
    #expect(response.limits?.frameBytes == 4_194_304)
    #expect(response.limits?.requestsInFlight == 4_096)
    #expect(response.limits?.checksInBatch == 1_000)
    #expect(response.limits?.idBytes == 128)
  }

  @Test("Health is told of the server and of its service; another one is NOT_FOUND")
  func health() throws {
    let running = try RunningService()
    func status(_ service: String) throws -> ServingStatus {
      try running.call(
        .healthCheck, HealthCheckRequest.with { $0.service = service }, as: HealthCheckResponse.self
      ).status
    }
    for service in ["", "latchkey.v1.Entitlements"] { #expect(try status(service) == .serving) }
    let other = try running.failure(.healthCheck, HealthCheckRequest.with { $0.service = "other" })
    #expect(other.code == .notFound)
    #expect(other.message == "service: there is no service other")
    running.service.stopServing()
    for service in ["", "latchkey.v1.Entitlements"] { #expect(try status(service) == .notServing) }
    // Whoever calls all the same is still answered.
    #expect(try running.check("alice", "pro").reason == .unknownCustomer)
  }

  @Test("A snapshot has the revision of now, and no bytes where it is there already")
  func snapshot() throws {
    let running = try RunningService()
    let revision = try running.record(.subscription("1")).revision
    let first = try running.call(.takeSnapshot, TakeSnapshotRequest(), as: TakeSnapshotResponse.self)
    #expect(first.revision == revision)
    #expect(first.bytes > 0)
    let second = try running.call(.takeSnapshot, TakeSnapshotRequest(), as: TakeSnapshotResponse.self)
    #expect(second.revision == revision)
    #expect(second.bytes == 0)
  }

  @Test("A forced reload takes the catalog as it is now, and folds everyone anew")
  func reload() throws {
    let text = Guarded(
      """
      {"products": [{"product_id": "monthly", "entitlements": ["pro"]}]}
      """)
    let running = try RunningService(catalog: .pro) { try Catalog(parsing: Array(text.withLock { $0 }.utf8)) }
    try running.record(.subscription("1"))
    try running.record(.subscription("2"), for: "bob")
    text.withLock {
      $0 = "{\"products\": [{\"product_id\": \"monthly\", \"entitlements\": [\"gold\"]}, {\"product_id\": \"x\"}]}"
    }
    let response = try running.call(
      .reloadConfiguration, ReloadConfigurationRequest.with { $0.force = true }, as: ReloadConfigurationResponse.self)
    #expect(response.revision == running.store.revision)
    #expect(response.products == 2)
    #expect(response.customers == 2)
    for customer in ["alice", "bob"] {
      #expect(try running.check(customer, "gold").allowed)
      #expect(try running.check(customer, "pro").reason == .neverOwned)
    }
  }

  @Test("A broken catalog is FAILED_PRECONDITION with its line, and the old one stays")
  func brokenReload() throws {
    let running = try RunningService(catalog: .pro) { try Catalog(parsing: Array("{\"products\":\n [{\"product\": 1}]}".utf8)) }
    try running.record(.subscription("1"))
    let revision = running.store.revision
    let status = try running.failure(.reloadConfiguration, ReloadConfigurationRequest())
    #expect(status.code == .failedPrecondition)
    #expect(status.message.contains("line 2"), "\(status.message)")
    #expect(running.store.revision == revision)
    #expect(try running.check("alice", "pro").allowed)
  }

  @Test("A server without a catalog says what to do")
  func noCatalog() throws {
    let running = try RunningService()
    let status = try running.failure(.reloadConfiguration, ReloadConfigurationRequest())
    #expect(status.code == .failedPrecondition)
    #expect(status.message.contains("--catalog"))
  }
}
