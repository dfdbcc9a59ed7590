import Foundation
import TestSupport
import Testing

/// Starts of the real process after something happened to its snapshots.
struct RecoveryTests {
  /// The newest snapshot of a data directory.
  private func newestSnapshot(in scratch: Scratch) throws -> String {
    let names = try scratch.names(in: "data").filter { $0.hasPrefix("snapshot-") }.sorted()
    return "\(scratch.path("data"))/\(try #require(names.last))"
  }

  private func record(_ id: String, as customer: String, on server: ServedDirectory) throws {
    #expect(try server.run(["record", "--customer", customer, "-"], input: transaction(id)).status == 0)
  }

  /// Turns one bit in the middle of a file.
  private func damage(_ path: String) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[bytes.count / 2] ^= 4
    try bytes.write(to: URL(filePath: path))
  }

  @Test("A damaged newest snapshot is passed over for the one before, loudly, and nothing is lost")
  func damagedSnapshot() throws {
    let scratch = try Scratch()
    do {
      let server = try ServedDirectory(scratch.path("data"))
      for (number, customer) in ["anna", "ben", "carla"].enumerated() {
        try record("\(number)", as: customer, on: server)
        // The last one is in the journal alone.
        if customer != "carla" { #expect(try server.run(["snapshot"]).status == 0) }
      }
      #expect(try server.end(by: SIGKILL) == 128 + SIGKILL)
    }
    try damage(try newestSnapshot(in: scratch))
    let server = try ServedDirectory(scratch.path("data"))
    let warning = try #require(try server.logLine(containing: "warning: "))
    #expect(warning.contains("A snapshot was not used") && warning.contains("snapshot-"))
    for customer in ["anna", "ben", "carla"] {
      #expect(try server.run(["check", customer, "lifetime"]).status == 0)
    }
    // A snapshot taken now is whole again.
    try record("9", as: "dora", on: server)
    #expect(try server.end(by: SIGTERM) == 0)
    let again = try ServedDirectory(scratch.path("data"))
    #expect(try #require(try again.logLine(containing: "recovered to revision")).contains("recovered"))
    #expect(try again.run(["check", "ben", "lifetime"]).status == 0)
  }

  @Test("A server takes a snapshot by itself once there is enough in its journal")
  func automatic() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"), ["--snapshot-after-bytes", "1KiB", "--snapshot-every", "0"])
    for number in 0..<20 { try record("\(number)", as: "customer \(number)", on: server) }
    let line = try #require(try server.logLine(containing: "took a snapshot"))
    let revision = try #require(line.firstMatch(of: /revision (\d+), (\d+) bytes/)).1
    let name = "snapshot-\(String(repeating: "0", count: 20 - revision.count))\(revision).lk"
    #expect(try scratch.names(in: "data").contains(name))
    #expect(try server.run(["check", "customer 7", "lifetime"]).status == 0)
  }
}
