import Foundation
import TestSupport

/// The built `latchkey` binary, which stands beside the test runner.
enum Executable {
  static let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "latchkey").path

  /// Runs a command to its end.
  static func run(_ words: [String], input: String = "") throws -> Program.Finished {
    try Program.run(path, words, input: input)
  }
}
