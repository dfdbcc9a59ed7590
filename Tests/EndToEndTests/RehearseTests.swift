import Foundation
import TestSupport
import Testing

/// The accepted behaviour, rehearsed over real connections.
struct RehearseTests {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Scenarios")
  private static let files =
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).filter { $0.hasSuffix(".json") }.sorted()

  @Test("a scenario holds", arguments: files)
  func scenarioHolds(file: String) throws {
    let finished = try Executable.run(["rehearse", Self.directory.appending(path: file).path])
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
    #expect(finished.output.hasSuffix("1 passed, 0 failed\n"))
  }

  @Test("there are scenarios to rehearse") func filesAreFound() { #expect(Self.files.count > 40) }

  @Test(
    "whatever isn't as expected is told with its step",
    arguments: [
      (
        #""record": { "transaction": T, "customer": "ana", "expect": { "outcome": "STALE" } }"#,
        "outcome: expected STALE, got APPLIED"
      ),
      (
        #""record": { "transaction": T, "customer": "ana", "expect": { "customer": null } }"#,
        "customer: expected nobody, got ana"
      ),
      (#""record": { "transaction": T, "expect": { "customer": "ana" } }"#, "customer: expected ana, got nobody"),
      (
        #""record": { "transaction": T, "customer": "ana", "expect": { "changes": [] } }"#,
        "changes: not expected: ana gains lifetime"
      ),
      (#""record": { "transaction": T, "expect": { "error": "NOT_FOUND" } }"#, "expected error NOT_FOUND, got UNCLAIMED"),
      (#""record": { "transaction": {} }"#, "record: INVALID_ARGUMENT"),
      (#""check": { "customer": "ana", "entitlement": "x", "allowed": true }"#, "allowed: expected true, got false"),
      (
        #""check": { "customer": "ana", "entitlement": "x", "allowed": false, "reason": "EXPIRED" }"#,
        "reason: expected EXPIRED, got UNKNOWN_CUSTOMER"
      ),
      (#""entitlements": { "customer": "ana", "are": ["x"] }"#, "entitlements: expected but missing: x"),
      (#""rebuild": { "everyone": true, "corrections": 3 }"#, "corrections: expected 3, got 0"),
      (#""rebuild": {}"#, "INVALID_ARGUMENT"),
      (#""report": { "refunds": 1 }"#, "refunds: expected 1, got 0"),
      (#""report": { "amounts": { "USD": 1 } }"#, "amounts: expected but missing: USD 1"),
    ])
  func mismatch(step: String, message: String) throws {
    let scratch = try Scratch()
    let step = step.replacing(" T,", with: " " + transaction("1") + ",")
    let file = try scratch.write("{ \"steps\": [ { \"snapshot\": {} },\n{ \(step) } ] }", to: "scenario.json")
    let finished = try Executable.run(["rehearse", file])
    #expect(finished.status == 1)
    #expect(finished.output.contains("step 2 (line 2): ") && finished.output.contains(message), "\(finished.output)")
    #expect(finished.output.hasSuffix("0 passed, 1 failed\n"))
  }

  @Test("a file that is no scenario is named with its line, and the others are run") func unreadableFiles() throws {
    let scratch = try Scratch()
    let bad = try scratch.write("{ \"steps\": [],\n \"stepz\": [] }", to: "bad.json")
    let good = try scratch.write(#"{ "steps": [] }"#, to: "good.json")
    let finished = try Executable.run(["rehearse", bad, scratch.path("missing.json"), good])
    #expect(finished.status == 2)
    #expect(finished.errors.contains("bad.json: line 2, column 2: unknown key \"stepz\""))
    #expect(finished.errors.contains("missing.json: No such file"))
    #expect(finished.output.hasSuffix("1 passed, 0 failed, 2 can't be read\n"))
  }

  @Test("a rehearsal that is ended leaves neither a server nor a file behind") func interruption() throws {
    let (scratch, temporary) = (try Scratch(), try Scratch())
    let steps = Array(repeating: #"{ "restart": "kill" }"#, count: 1_000).joined(separator: ",")
    let files = [
      try scratch.write(#"{ "steps": [] }"#, to: "short.json"),
      try scratch.write("{ \"steps\": [ \(steps) ] }", to: "long.json"),
    ]
    let process = try Program.start(Executable.path, ["rehearse"] + files, environment: ["TMPDIR": temporary.url.path])
    #expect(try process.awaitedLine()?.contains("short.json") == true)
    process.send(SIGTERM)
    var said: [String] = []
    while let line = try process.awaitedLine() { said.append(line) }
    #expect(process.wait(within: Patience.milliseconds) == 2)
    #expect(said.contains { $0.contains("interrupted before step") } && said.last == "1 passed, 1 failed")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty)
  }

  @Test("scripts get a JSON object for each scenario") func json() throws {
    let scratch = try Scratch()
    let file = try scratch.write(#"{ "name": "n", "steps": [ { "report": { "refunds": 1 } } ] }"#, to: "s.json")
    let finished = try Executable.run(["rehearse", "--json", file])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any])
    #expect(object["passed"] as? Bool == false)
    #expect((object["mismatches"] as? [[String: Any]])?.first?["step"] as? Int == 1)
  }
}
