import Foundation
import TestSupport
import Testing

/// The scripts of the `Durability` folder in their short forms, against the built binary; docs/durability.md has the long ones.
@Suite(.serialized, .enabled(if: Durability.hasPython, "needs python3"))
struct DurabilityTests {
  @Test("SIGKILLs under load lose nothing that was acknowledged and leave nothing half")
  func killedUnderLoad() throws { try Durability.expectNoFault("kill_loop.py", "--kills", "6") }

  @Test("What is recorded, asked, watched, snapshotted, killed and restarted all the while loses nothing")
  func soaked() throws { try Durability.expectNoFault("soak.py", "--minutes", "0.4", "--families", "200") }

  @Test("Damage to a store of any kind is found, or does no harm")
  func damaged() throws { try Durability.expectNoFault("damage.py", "--damages", "40") }

  @Test("Every bug that is planted to be caught still fits the source", .enabled(if: Durability.canPatch, "needs patch"))
  func plantedBugsFit() throws {
    let finished = try Program.run("/usr/bin/env", ["python3", Durability.folder.appending(path: "planted.py").path, "--fits"])
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
  }

  @Test(
    "A kill at any system call loses nothing that was acknowledged and leaves nothing half",
    .enabled(if: Durability.canTrace, "needs strace, and the right to trace"))
  func killedAtSystemCalls() throws { try Durability.expectNoFault("kill_at_system_calls.py", "--quick", "--lives", "4") }

  @Test(
    "Every write is synced before what relies on it",
    .enabled(if: Durability.canTrace, "needs strace, and the right to trace"))
  func orderOfSyncs() throws { try Durability.expectNoFault("order_of_syncs.py", "--quick") }

  @Test(
    "A disk that fails or refuses to be written to does no harm, and is told of",
    .enabled(if: Durability.canTrace && Durability.canMount, "needs strace, and root to mount"))
  func failingDisk() throws { try Durability.expectNoFault("failing_disk.py", "--quick", "--lives", "3") }

  @Test(
    "Power cuts lose nothing that was acknowledged, and the same server without syncs does",
    .enabled(if: Durability.canMount, "needs root to mount"), arguments: ["ext4", "xfs"].filter(Durability.canMake))
  func powerCuts(fileSystem: String) throws {
    try Durability.expectNoFault("power_cut.py", "--file-system", fileSystem, "--cuts", "4", "--control-cuts", "6")
  }
}

/// What the scripts need of this machine, and how one is run.
private enum Durability {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Durability")

  static let hasPython = succeeds("python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'")
  static let canPatch = succeeds("patch --version")
  static let canTrace = succeeds("strace -o /dev/null true")
  /// Whether this process may mount, and a C compiler can make the control.
  static let canMount = succeeds("test $(id -u) = 0 && command -v gcc && losetup -f && unshare -m true")

  static func canMake(_ fileSystem: String) -> Bool { succeeds("command -v mkfs.\(fileSystem)") }

  /// Runs a script; it ends with 0 only where it found no fault, and with 77 where this machine can't run it.
  static func expectNoFault(_ script: String, _ options: String...) throws {
    let finished = try Program.run(
      "/usr/bin/env", ["python3", folder.appending(path: script).path, "--binary", Executable.path] + options)
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
  }

  private static func succeeds(_ command: String) -> Bool {
    (try? Program.run("/bin/sh", ["-c", command]).status) == 0
  }
}
