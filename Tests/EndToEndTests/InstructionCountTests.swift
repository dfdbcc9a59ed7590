import Foundation
import TestSupport
import Testing

/// The comparison of `Tests/InstructionCounts` with what is recorded there.
private enum InstructionCounts {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let program = root.appending(path: ".build/release/InstructionCounts").path
  static let folder = root.appending(path: "Tests/InstructionCounts")

  /// What is recorded is of one architecture; valgrind counts the same on every machine of it.
  static var isPossible: Bool {
    guard let recorded = try? Data(contentsOf: folder.appending(path: "recorded.json")),
      let content = try? JSONSerialization.jsonObject(with: recorded) as? [String: Any],
      let machine = try? Program.run("/usr/bin/env", ["uname", "-m"]).output
    else { return false }
    return content["architecture"] as? String == machine.trimmingCharacters(in: .whitespacesAndNewlines)
      && FileManager.default.isExecutableFile(atPath: program) && has("valgrind") && has("python3")
  }

  private static func has(_ tool: String) -> Bool {
    (try? Program.run("/usr/bin/env", [tool, "--version"]).status) == 0
  }
}

@Suite(.enabled(if: InstructionCounts.isPossible, "needs valgrind, Python, an x86_64 and the release build of InstructionCounts"))
struct InstructionCountTests {
  @Test("No part of a check, a fold or a recording takes more than 10 % more instructions than are recorded")
  func nothingTakesMore() throws {
    let compared = try Program.run(
      "/usr/bin/env", ["python3", InstructionCounts.folder.appending(path: "compare").path])
    #expect(compared.status == 0, "\(compared.output)\(compared.errors)")
  }
}
