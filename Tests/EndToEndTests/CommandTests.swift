import Foundation
import TestSupport
import Testing

@testable import latchkey

/// The commands as a script sees them: words in, output and exit status out.
struct CommandTests {
  @Test("every command has help that names each of its options", arguments: Command.all.map(\.name))
  func help(name: String) throws {
    let finished = try Executable.run([name, "--help"])
    #expect(finished.status == 0)
    #expect(finished.output.hasPrefix("Usage: latchkey \(name)"))
    let command = try #require(Command.named(name))
    for option in command.options { #expect(finished.output.contains("  \(option.name)")) }
    #expect(finished.output.contains("Exit status:") && finished.output.contains("Example:"))
    #expect(try Executable.run(["help", name]).output == finished.output)
  }

  @Test("the overview lists every command") func overview() throws {
    let finished = try Executable.run(["--help"])
    #expect(finished.status == 0)
    for command in Command.all { #expect(finished.output.contains("\n  \(command.name) ")) }
    #expect(try Executable.run(["help"]).output == finished.output)
    #expect(try Executable.run(["version"]).output == "latchkey \(Version.text)\n")
  }

  @Test(
    "what can't be understood is named, with where to look",
    arguments: [
      (["chek"], "there is no command chek", "latchkey --help"),
      (["check", "ana", "pro", "--when", "now"], "unknown option --when", "latchkey check --help"),
      (["check", "ana"], "ENTITLEMENT is missing", "latchkey check --help"),
      (["check", "ana", "pro", "--at", "noon"], "--at: expected a time in UTC", "latchkey check --help"),
      (["check", "ana", "pro", "--deadline", "never"], "--deadline: expected seconds", "latchkey check --help"),
      (["check", "ana", "pro", "--connect", "nowhere"], "--connect: nowhere", "latchkey check --help"),
      (["history"], "exactly one of CUSTOMER", "latchkey history --help"),
      (["rebuild", "--everyone", "--customer", "ana"], "exactly one of --customer", "latchkey rebuild --help"),
      (["report", "money"], "there is no report money", "latchkey report --help"),
      (["record", "--source", "DEVICE"], "--source: expected", "latchkey record --help"),
      (["help", "chek"], "there is no command chek", "latchkey help --help"),
      (["rehearse"], "FILE is missing", "latchkey rehearse --help"),
    ])
  func wrongUsage(words: [String], message: String, hint: String) throws {
    let finished = try Executable.run(words)
    #expect(finished.status == 2)
    #expect(finished.output.isEmpty)
    #expect(finished.errors.contains(message) && finished.errors.contains(hint), "\(finished.errors)")
  }

  @Test(
    "without a server a command says how to start one",
    arguments: [["check", "ana", "pro"], ["health"], ["rebuild", "--everyone"], ["history", "ana"], ["snapshot"], ["record"]])
  func noServer(words: [String]) throws {
    // Port 1 is privileged, so that no test of anyone listens there.
    let finished = try Executable.run(words + ["--connect", "127.0.0.1:1"], input: transaction("1"))
    #expect(finished.status == 2)
    #expect(finished.errors.contains("latchkey serve"), "\(finished.errors)")
  }

  @Test("check says by its exit status whether access is allowed") func check() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("1")).status == 0)
    let allowed = try server.run(["check", "ana", "lifetime"])
    #expect(allowed.status == 0 && allowed.output == "ALLOWED (PURCHASED, never ending)\n")
    let denied = try server.run(["check", "bob", "lifetime"])
    #expect(denied.status == 1 && denied.output == "DENIED (UNKNOWN_CUSTOMER)\n")
    let early = try server.run(["check", "ana", "lifetime", "--at", "2025-01-01T00:00:00Z", "--json"])
    #expect(early.status == 1 && early.output.contains(#""reason":"NOT_YET_VALID""#))
    let refused = try server.run(["check", String(repeating: "x", count: 129), "lifetime"])
    #expect(refused.status == 2 && refused.errors.contains("INVALID_ARGUMENT: customer_id"))
  }

  @Test("record does the good lines and reports the bad ones by number") func recordBadLines() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let input = [
      transaction("1"), "nonsense", transaction("1"), #"{"transactionId":"#, #"{"transactionId":7}"#, transaction("2"),
    ]
    let file = try scratch.write(input.joined(separator: "\n"), to: "input.jsonl")
    let finished = try server.run(["record", file, "--customer", "ana"])
    #expect(finished.status == 2)
    #expect(finished.output.hasSuffix("recorded 3 documents: 2 APPLIED, 1 DUPLICATE, 3 failed\n"))
    for line in [2, 4, 5] { #expect(finished.errors.contains("line \(line)"), "\(finished.errors)") }
    let again = try server.run(
      ["record", "-", "--customer", "ana", "--json"], input: "[\(transaction("1")), \(transaction("3"))]")
    #expect(again.status == 0)
    #expect(again.output == "{\"recorded\":2,\"failed\":0,\"outcomes\":{\"APPLIED\":1,\"DUPLICATE\":1},\"changes\":0}\n")
  }

  @Test("documents are recorded in the input's order") func recordingOrder() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    // Each is newer than the one before, so that any other order leaves some of them stale.
    let lines = (1...3_000).map {
      transaction("1").replacing("\"signedDate\":1767225600000", with: "\"signedDate\":\(1_767_225_600_000 + $0)")
    }
    let finished = try server.run(["record", "--customer", "ana"], input: lines.joined(separator: "\n"))
    #expect(finished.output.hasSuffix("recorded 3000 documents: 3000 APPLIED\n"), "\(finished.output)")
  }

  @Test("the other commands show what is recorded") func otherCommands() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let refund = transaction("1", more: #","revocationDate":1768003200000,"revocationReason":0,"price":9990,"currency":"USD""#)
    #expect(try server.run(["record", "--customer", "ana"], input: refund + transaction("2", product: "extras")).status == 0)
    let expectations: [([String], status: Int32, output: String)] = [
      (["entitlements", "ana"], 0, "extras: ALLOWED (PURCHASED, never ending)"),
      (["entitlements", "bob"], 1, "nothing is recorded"),
      (["explain", "ana", "lifetime"], 0, "transaction 1 (lifetime)"), (["explain", "bob"], 1, "nothing is recorded"),
      (["history", "ana"], 0, "2 extras, bought 2026-01-01T00:00:00Z, held by ana"),
      (["history", "--transaction", "1"], 0, "revoked 2026-01-10T00:00:00Z"),
      (["history", "--original-transaction", "2", "--json"], 0, #""transaction_id":"2""#),
      (["history", "bob"], 1, "nothing is recorded"),
      (["rebuild", "--everyone", "--dry-run"], 0, "1 customer, 2 transactions, 0 corrections"),
      (["rebuild", "--customer", "ana", "--json"], 0, #""corrections":0"#), (["report", "refunds"], 0, "9.99 USD"),
      (["snapshot"], 0, "revision"), (["snapshot"], 0, "is there already"), (["health"], 0, "SERVING"),
    ]
    for (words, status, output) in expectations {
      let finished = try server.run(words)
      #expect(finished.status == status, "\(words): \(finished.errors)")
      #expect(finished.output.contains(output), "\(words): \(finished.output)")
    }
    let reload = try server.run(["reload"])
    #expect(reload.status == 2 && reload.errors.contains("--catalog"))
  }

  @Test("a rebuild takes Apple's history from a file") func rebuildWithHistory() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("1")).status == 0)
    let history = try scratch.write("[\(transaction("2", product: "extras"))]", to: "history.json")
    let finished = try server.run(["rebuild", "--customer", "ana", "--history", history])
    #expect(finished.status == 0)
    #expect(finished.output.contains("1 recorded from the history"))
    #expect(finished.output.contains("held, but not in the history: transaction 1"))
    #expect(try server.run(["check", "ana", "extras"]).status == 0)
  }
}
