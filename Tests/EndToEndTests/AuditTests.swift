import Foundation
import TestSupport
import Testing

/// An audit from the command line, of a journal that is kept.
struct AuditTests {
  @Test("audit tells what was known, across restarts and snapshots, as long as the journal is kept") func audit() throws {
    let scratch = try Scratch()
    var server = try ServedDirectory(scratch.path("data"), ["--keep-journal", "7"])
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("1")).status == 0)
    #expect(try server.end(by: SIGTERM) == 0)
    server = try ServedDirectory(scratch.path("data"), ["--keep-journal", "7"])
    let known = try server.run(["audit", "ana", "lifetime"])
    #expect(
      known.status == 0 && known.output.contains("lifetime: ALLOWED (PURCHASED, never ending), as today"), "\(known.output)")
    let early = try server.run(["audit", "ana", "--at", "2026-02-01T00:00:00Z"])
    #expect(
      early.output.contains("lifetime: DENIED (UNKNOWN_CUSTOMER); today for that moment: lifetime: ALLOWED"), "\(early.output)")
    #expect(early.output.contains("came later: a recording from DEVICE, transaction 1"))
    #expect(try server.run(["audit", "ana", "--json"]).output.contains(#""customer_was_known":true"#))
  }
}
