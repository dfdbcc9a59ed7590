import Glibc
import TestSupport
import Testing

/// `grant` and `ungrant` as an operator types them.
struct GrantTests {
  private static let why = ["--by", "support", "--note", "goodwill"]

  @Test("an operator gives, looks, takes back, and a killed server remembers") func story() throws {
    let scratch = try Scratch()
    var server = try ServedDirectory(scratch.path("data"))
    let given = try server.run(["grant", "ana", "pro", "--forever", "--from", "2026-01-01T00:00:00Z"] + Self.why)
    #expect(given.status == 0)
    #expect(given.output.contains("ana: pro is allowed now (MANUAL_GRANT)\n"))
    #expect(given.output.contains("by hand from 2026-01-01T00:00:00Z, without an end, given by support (goodwill)"))
    let again = try server.run(["grant", "ana", "pro", "--forever", "--from", "2026-01-01T00:00:00Z"] + Self.why)
    #expect(again.status == 0 && again.output.hasPrefix("no answer of now changed\n"))
    #expect(try server.run(["history", "ana"]).output.contains("given by support (goodwill)"))
    #expect(try server.run(["explain", "ana", "pro"]).output.contains("manual grant of pro grants since 2026-01-01"))
    let taken = try server.run(["ungrant", "ana", "pro", "--at", "2026-02-01T00:00:00Z", "--by", "boss", "--note", "over"])
    #expect(taken.output.contains("taken back as of 2026-02-01T00:00:00Z by boss (over)"))
    #expect(try server.end(by: SIGKILL) == 128 + SIGKILL)
    server = try ServedDirectory(scratch.path("data"))
    #expect(try server.run(["check", "ana", "pro"]).output == "DENIED (GRANT_ENDED)\n")
    let early = try server.run(["check", "ana", "pro", "--at", "2026-01-31T00:00:00Z"])
    #expect(early.output == "ALLOWED (MANUAL_GRANT, until 2026-02-01T00:00:00Z)\n")
  }

  @Test(
    "a grant without an end, a reason or a who is answered in plain words",
    arguments: [
      (["grant", "ana", "pro"] + why, "say when the grant ends: give either --until TIME or --forever"),
      (
        ["grant", "ana", "pro", "--forever", "--until", "2030-01-01T00:00:00Z"] + why,
        "give either --until TIME or --forever"
      ),
      (["grant", "ana", "pro", "--forever", "--by", "support"], "--note is missing: the reason"),
      (["grant", "ana", "pro", "--forever", "--note", "goodwill"], "--by is missing: who decided it"),
      (["grant", "ana", "pro", "--until", "soon"] + why, "--until: expected a time in UTC"),
      (["grant", "ana", "--forever"] + why, "ENTITLEMENT is missing"), (["ungrant", "ana", "pro"], "--by is missing"),
    ])
  func wrongUsage(words: [String], message: String) throws {
    let finished = try Executable.run(words)
    #expect(finished.status == 2)
    #expect(finished.errors.contains(message), "\(finished.errors)")
  }

  @Test("what a server refuses is told with its field") func refused() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let over = try server.run(["grant", "ana", "pro", "--until", "1999-01-01T00:00:00Z"] + Self.why)
    #expect(over.status == 2 && over.errors.contains("INVALID_ARGUMENT: until_ms: a grant ends after it begins"))
    let never = try server.run(["ungrant", "ana", "pro"] + Self.why)
    #expect(never.status == 2 && never.errors.contains("ana has no manual grant of pro that could be taken back"))
  }
}
