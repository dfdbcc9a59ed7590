import Foundation
import TestSupport
import Testing

/// Erasing and moving customers from the command line, across a restart.
struct CustomerOrderTests {
  @Test("erase and move do what they say, and a restart keeps it") func orders() throws {
    let scratch = try Scratch()
    var server = try ServedDirectory(scratch.path("data"))
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("1")).status == 0)
    #expect(try server.run(["record", "--customer", "guest"], input: transaction("2", product: "extras")).status == 0)
    let who = ["--by", "support", "--note", "ticket 12"]
    let moved = try server.run(["move", "guest", "bob"] + who)
    #expect(moved.status == 0 && moved.output.contains("1 transaction moved to bob"), "\(moved.output)\(moved.errors)")
    let erased = try server.run(["erase", "ana"] + who)
    #expect(erased.status == 0 && erased.output.contains("1 transaction removed"), "\(erased.output)\(erased.errors)")
    #expect(erased.output.contains("second snapshot"))
    #expect(try server.run(["move", "bob", "carol", "--json"] + who).output.contains(#""transactions":1"#))
    #expect(try server.end(by: SIGKILL) == 128 + SIGKILL)
    server = try ServedDirectory(scratch.path("data"))
    #expect(try server.run(["check", "ana", "lifetime"]).output == "DENIED (UNKNOWN_CUSTOMER)\n")
    #expect(try server.run(["check", "carol", "extras"]).status == 0)
    let again = try server.run(["erase", "ana"] + who)
    #expect(again.status == 2 && again.errors.contains("NOT_FOUND"), "\(again.errors)")
  }

  @Test("an order without a name or a reason is refused before anything is sent") func incomplete() throws {
    for words in [["erase", "ana", "--by", "me"], ["erase", "ana", "--note", "why"], ["move", "ana", "bob", "--by", "me"]] {
      let finished = try Executable.run(words)
      #expect(finished.status == 2 && finished.errors.contains("is missing"), "\(finished.errors)")
    }
  }
}
