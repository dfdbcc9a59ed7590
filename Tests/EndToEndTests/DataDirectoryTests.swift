import Foundation
import TestSupport
import Testing

/// The commands on a data directory: verify, backup, restore, dump and repair.
struct DataDirectoryTests {
  private let grants = ["ana", "bob"]

  /// A server that holds something of most kinds.
  private func serve(_ scratch: Scratch, _ name: String = "data") throws -> ServedDirectory {
    let catalog = try scratch.write(
      #"{ "products": [ { "product_id": "lifetime", "entitlements": ["pro"] } ] }"#, to: "catalog.json")
    let server = try ServedDirectory(scratch.path(name), ["--catalog", catalog, "--clock-skew", "5s"])
    let refund = transaction("2", more: #","revocationDate":1768003200000,"revocationReason":0,"price":9990,"currency":"USD""#)
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("1") + refund).status == 0)
    #expect(
      try server.run(["record", "--customer", "gone"], input: refund.replacingOccurrences(of: #""2""#, with: #""3""#)).status == 0
    )
    #expect(try server.run(["record"], input: transaction("4")).status == 0)
    for customer in grants {
      #expect(try server.run(["grant", customer, "plus", "--by", "support", "--note", "goodwill", "--forever"]).status == 0)
    }
    #expect(try server.run(["ungrant", "bob", "plus", "--by", "support", "--note", "a mistake"]).status == 0)
    #expect(try server.run(["erase", "gone", "--by", "privacy", "--note", "request"]).status == 0)
    return server
  }

  private func digest(in output: String) throws -> String {
    String(try #require(output.firstMatch(of: /digest ([0-9a-f]{16})/)).1)
  }

  @Test("verify finds a stopped store whole, and refuses one that a server has") func verify() throws {
    let scratch = try Scratch()
    let server = try serve(scratch)
    let busy = try Executable.run(["verify", scratch.path("data")])
    #expect(busy.status == 75 && busy.errors.contains("Stop that process"))
    #expect(try server.end(by: SIGTERM) == 0)
    let whole = try Executable.run(["verify", scratch.path("data")])
    #expect(whole.status == 0 && whole.output.hasSuffix("OK\n"), "\(whole.output)")
    let json = try Executable.run(["verify", scratch.path("data"), "--json"])
    let held = try digest(in: whole.output)
    #expect(json.output.contains(#""ok":true"#) && json.output.contains(held))
    let none = try Executable.run(["verify", scratch.url.path])
    #expect(none.status == 68, "\(none.errors)")
  }

  @Test("what is backed up from a running server and restored has the same digest, and answers the same") func backup() throws {
    let scratch = try Scratch()
    let server = try serve(scratch)
    let file = scratch.path("monday.lkbackup")
    let backup = try server.run(["backup", file])
    #expect(backup.status == 0, "\(backup.errors)")
    #expect(try server.run(["backup", file]).status == 2)
    let restored = try Executable.run(["restore", file, scratch.path("restored")])
    #expect(restored.status == 0 && restored.output == backup.output, "\(restored.errors)")
    #expect(try Executable.run(["restore", file, scratch.path("restored")]).status == 68)
    let verified = try Executable.run(["verify", scratch.path("restored")])
    #expect(try digest(in: verified.output) == digest(in: backup.output))
    let other = try ServedDirectory(scratch.path("restored"), ["--clock-skew", "5s"])
    for words in [["history", "ana"], ["explain", "bob"], ["check", "ana", "pro"], ["report", "refunds"]] {
      #expect(try other.run(words).output == server.run(words).output)
    }
    // One byte less.
    let bytes = try Data(contentsOf: URL(filePath: file))
    try bytes.dropLast().write(to: URL(filePath: file))
    #expect(try Executable.run(["restore", file, scratch.path("third")]).status == 65)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("third")))
  }

  @Test("a dump is recorded back into an empty store, to the same digest") func dump() throws {
    let scratch = try Scratch()
    let server = try serve(scratch)
    let dumped = try server.run(["dump"])
    #expect(dumped.status == 0)
    let empty = try ServedDirectory(scratch.path("empty"))
    let recorded = try empty.run(["record"], input: dumped.output)
    #expect(recorded.status == 0, "\(recorded.errors)")
    let again = try empty.run(["dump"])
    #expect(again.output == dumped.output)
    #expect(try digest(in: again.errors) == digest(in: dumped.errors))
    #expect(try server.end(by: SIGTERM) == 0)
    #expect(try Executable.run(["dump", scratch.path("data")]).output == dumped.output)
  }

  @Test("repair says what would be lost, does nothing without a yes, and then lets a server start again") func repair() throws {
    let scratch = try Scratch()
    #expect(try serve(scratch).end(by: SIGKILL) == 128 + SIGKILL)
    let data = scratch.path("data")
    #expect(try Executable.run(["repair", data]).output.hasPrefix("nothing to repair"))
    let segment = URL(filePath: data).appending(path: "journal-00000000000000000001.lk")
    var bytes = try Data(contentsOf: segment)
    bytes[900] ^= 1
    try bytes.write(to: segment)
    let refused = try Executable.run(["serve", "--data", data, "--listen", "127.0.0.1:0"])
    #expect(refused.status == 65 && refused.errors.contains("latchkey repair"), "\(refused.errors)")
    let told = try Executable.run(["repair", data])
    #expect(told.status == 1 && told.output.contains("LOST would be revisions") && told.output.contains("bob"), "\(told.output)")
    #expect(try Executable.run(["repair", data, "--accept-loss"], input: "no\n").status == 1)
    #expect(try Data(contentsOf: segment) == bytes)
    let repaired = try Executable.run(["repair", data, "--accept-loss"], input: "yes\n")
    #expect(repaired.status == 0 && repaired.output.contains("repaired"), "\(repaired.errors)")
    #expect(try scratch.names(in: "data").contains("journal-00000000000000000001.lk-1.damaged"))
    #expect(try Executable.run(["verify", data]).status == 0)
    let server = try ServedDirectory(data, ["--clock-skew", "5s"])
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("9")).status == 0)
  }
}
