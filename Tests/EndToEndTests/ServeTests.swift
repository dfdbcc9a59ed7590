import Foundation
import LatchkeyClient
import TestSupport
import Testing

/// The life of a server process: start, signals, death and restart.
struct ServeTests {
  @Test("what was acknowledged is there after SIGKILL and a restart") func killAndRestart() async throws {
    let scratch = try Scratch()
    var server = try ServedDirectory(scratch.path("data"))
    let lines = (1...100).map { transaction("\($0)", product: "product\($0)") }.joined(separator: "\n")
    #expect(try server.run(["record", "--customer", "ana"], input: lines).status == 0)
    let before = try await server.client().listEntitlements(customer: "ana")
    #expect(before.entitlements.count == 100)
    #expect(try server.end(by: SIGKILL) == 128 + SIGKILL)
    server = try ServedDirectory(scratch.path("data"))
    let after = try await server.client().listEntitlements(customer: "ana")
    #expect(after.entitlements == before.entitlements)
    #expect(after.revision == before.revision)
  }

  @Test("SIGTERM and SIGINT end a server cleanly, with a snapshot", arguments: [SIGTERM, SIGINT])
  func cleanEnd(signal: Int32) throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("1")).status == 0)
    #expect(try server.end(by: signal) == 0)
    #expect(try scratch.names(in: "data").contains { $0.hasPrefix("snapshot-") })
    let again = try ServedDirectory(scratch.path("data"))
    #expect(try again.run(["check", "ana", "lifetime"]).status == 0)
  }

  @Test("SIGHUP has the catalog read again, and a wrong one changes nothing") func reload() async throws {
    let scratch = try Scratch()
    let catalog = try scratch.write(#"{ "products": [] }"#, to: "catalog.json")
    let server = try ServedDirectory(scratch.path("data"), ["--catalog", catalog])
    let latchkey = try server.client()
    let recorded = try await latchkey.recordTransaction(
      .with {
        $0.customerID = "ana"
        $0.appleJSON = transaction("1")
      })
    #expect(try await !latchkey.checkAccess(customer: "ana", entitlement: "pro").allowed)
    try scratch.write(#"{ "products": [ { "product_id": "lifetime", "entitlements": ["pro"] } ] }"#, to: "catalog.json")
    server.send(SIGHUP)
    let answer = try await latchkey.checkAccess(customer: "ana", entitlement: "pro", minRevision: recorded.revision + 1)
    #expect(answer.allowed)

    try scratch.write("{ \"products\":\n[ { \"product\": 1 } ] }", to: "catalog.json")
    server.send(SIGHUP)
    let line = try #require(try server.logLine(containing: "the catalog stays as it was"))
    #expect(line.contains("catalog.json: line 2") && line.contains("unknown key \"product\""))
    #expect(try await latchkey.checkAccess(customer: "ana", entitlement: "pro").allowed)
  }

  @Test("a second server on the same directory is refused") func directoryInUse() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let second = try Executable.run(["serve", "--data", scratch.path("data"), "--listen", "127.0.0.1:0"])
    #expect(second.status == 75)
    #expect(second.errors.contains("is in use by another process"))
    #expect(second.output.isEmpty)
    #expect(try server.run(["health"]).status == 0)
  }

  @Test("a port that somebody has is refused with what to do") func portInUse() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let second = try Executable.run(["serve", "--data", scratch.path("other"), "--listen", server.address])
    #expect(second.status == 2)
    #expect(second.errors.contains("in use") && second.errors.contains("--listen"))
  }

  @Test("a wrong catalog keeps a server from starting, by file, line and key") func wrongCatalog() throws {
    let scratch = try Scratch()
    let catalog = try scratch.write("{ \"products\": [\n{ \"product_id\": \"a\", \"kind\": 1 } ] }", to: "catalog.json")
    let finished = try Executable.run(["serve", "--data", scratch.path("data"), "--catalog", catalog, "--listen", "127.0.0.1:0"])
    #expect(finished.status == 2)
    #expect(finished.errors.contains("catalog.json: line 2") && finished.errors.contains("\"kind\""))
  }

  @Test(
    "a wrong option keeps a server from starting",
    arguments: [
      ["--listen", "0.0.0.0:0"], ["--listen", "nowhere"], ["--loops", "0"], ["--loops", "257"], ["--environment", "production"],
      ["--transfer-policy", "steal"], ["--clock-skew", "-1"], ["--bundle-id", ""], ["--sandbox-customer", ""],
    ])
  func wrongOption(words: [String]) throws {
    let scratch = try Scratch()
    let finished = try Executable.run(["serve", "--data", scratch.path("data")] + words)
    #expect(finished.status == 2)
    #expect(finished.errors.contains("--listen") || finished.errors.contains(words[0]))
    // Options are looked at before the store is.
    #expect(!FileManager.default.fileExists(atPath: scratch.path("data")))
  }
}
