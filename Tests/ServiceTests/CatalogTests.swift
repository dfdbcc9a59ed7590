import AppStore
import Entitlements
import LatchkeyWire
import Platform
import Testing

/// CompareCatalog, and the guard of ReloadConfiguration.
@Suite struct CatalogTests {
  private static let empty = "{\"products\": []}"

  /// A server whose catalog's file is an empty catalog now; alice and bob have "pro" by the wall clock, too.
  private func running() throws -> RunningService {
    let running = try RunningService(catalog: .forever) { try Catalog(parsing: Array(CatalogTests.empty.utf8)) }
    try running.record(.lasting("1", product: "forever"))
    try running.record(.lasting("2", product: "forever"), for: "bob")
    try running.record(.lasting("3", product: "other"), for: "carol")
    return running
  }

  @Test("A comparison says who loses what, by product and by entitlement, and changes nothing", arguments: [false, true])
  func comparison(usesFile: Bool) throws {
    let running = try running()
    let revision = running.store.revision
    let difference = try running.call(
      .compareCatalog,
      CompareCatalogRequest.with { ($0.catalogJSON, $0.useFile) = (usesFile ? "" : CatalogTests.empty, usesFile) },
      as: CompareCatalogResponse.self)
    #expect(difference.customers == 3 && difference.customersLosing == 2 && difference.customersGaining == 0)
    #expect(difference.products.map { "\($0.name) \($0.customersLosing) \($0.customersGaining)" } == ["forever 2 0"])
    #expect(difference.entitlements.map { "\($0.name) \($0.customersLosing) \($0.customersGaining)" } == ["pro 2 0"])
    #expect(difference.losingPartsPerMillion == 666_667 && difference.limitPartsPerMillion == 10_000)
    #expect(difference.wouldBeRefused)
    #expect(difference.losingExamples == ["alice", "bob"] && difference.gainingExamples.isEmpty)
    #expect(difference.revision == revision && running.store.revision == revision)
    #expect(try running.check("alice", "pro").allowed)
  }

  @Test("A reload that would cut too many is FAILED_PRECONDITION with the numbers, unless forced")
  func reload() throws {
    let running = try running()
    let revision = running.store.revision
    let status = try running.failure(.reloadConfiguration, ReloadConfigurationRequest())
    #expect(status.code == .failedPrecondition)
    #expect(status.message.contains("2 of 3 customers"), "\(status.message)")
    #expect(running.store.revision == revision)
    #expect(try running.check("alice", "pro").allowed)
    let forced = ReloadConfigurationRequest.with { $0.force = true }
    #expect(try running.call(.reloadConfiguration, forced, as: ReloadConfigurationResponse.self).revision == revision + 1)
    #expect(try running.check("alice", "pro").reason == .neverOwned)
  }

  @Test(
    "A bad comparison is refused, and says why",
    arguments: [
      (CompareCatalogRequest(), "catalog_json: give exactly one"),
      (.with { ($0.catalogJSON, $0.useFile) = ("{}", true) }, "catalog_json: give exactly one"),
      (.with { $0.catalogJSON = "{\n\"product\": 1}" }, "catalog_json: line 2"),
    ])
  func bad(request: CompareCatalogRequest, message: String) throws {
    let status = try running().failure(.compareCatalog, request)
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix(message), "\(status.message)")
  }

  @Test("Without a file there is none to compare") func noFile() throws {
    let status = try RunningService().failure(.compareCatalog, CompareCatalogRequest.with { $0.useFile = true })
    #expect(status.code == .failedPrecondition && status.message.contains("--catalog"))
  }
}

extension Catalog {
  fileprivate static let forever = Catalog(products: ["forever": Product(entitlements: ["pro"])])
}
