import Foundation
import TestSupport
import Testing

/// A catalog that would cut customers, as an operator meets it.
struct CatalogTests {
  private let pro = #"{ "products": [ { "product_id": "lifetime", "entitlements": ["pro"] } ] }"#
  private let empty = #"{ "products": [] }"#

  @Test("what a catalog would take is shown, refused by a reload, and taken when forced") func reload() throws {
    let scratch = try Scratch()
    let file = try scratch.write(pro, to: "catalog.json")
    let server = try ServedDirectory(scratch.path("data"), ["--catalog", file])
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("1")).status == 0)
    #expect(try server.run(["catalog", "diff"]).status == 0)
    let other = try scratch.write(empty, to: "other.json")
    let difference = try server.run(["catalog", "diff", other])
    #expect(difference.status == 1)
    #expect(difference.output.contains("1 of 1 customer would lose something, 0 gain something"), "\(difference.output)")
    #expect(difference.output.contains("Losing: ana"))
    #expect(try server.run(["catalog", "diff", other, "--json"]).output.contains(#""would_be_refused":true"#))

    try scratch.write(empty, to: "catalog.json")
    let refused = try server.run(["reload"])
    #expect(refused.status == 2 && refused.errors.contains("1 of 1 customers (100 %)"), "\(refused.errors)")
    server.send(SIGHUP)
    #expect(try #require(try server.logLine(containing: "the catalog stays as it was")).contains("1 of 1 customers"))
    #expect(try server.run(["check", "ana", "pro"]).status == 0)
    #expect(try server.run(["reload", "--force"]).status == 0)
    #expect(try server.run(["check", "ana", "pro"]).status == 1)
  }

  @Test("a server doesn't start with a catalog that cuts too many, unless it is forced") func start() throws {
    let scratch = try Scratch()
    var server = try ServedDirectory(scratch.path("data"), ["--catalog", scratch.write(pro, to: "catalog.json")])
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("1")).status == 0)
    #expect(try server.end(by: SIGTERM) == 0)
    let other = try scratch.write(empty, to: "other.json")
    let words = ["serve", "--data", scratch.path("data"), "--listen", "127.0.0.1:0", "--catalog", other]
    let refused = try Executable.run(words)
    #expect(refused.status == 2)
    #expect(refused.errors.contains("1 of 1 customers") && refused.errors.contains("--force-catalog"), "\(refused.errors)")
    server = try ServedDirectory(scratch.path("data"))
    #expect(try server.run(["check", "ana", "pro"]).status == 0)
    #expect(try server.end(by: SIGTERM) == 0)
    server = try ServedDirectory(scratch.path("data"), ["--catalog", other, "--force-catalog"])
    #expect(try server.run(["check", "ana", "pro"]).status == 1)
  }
}
