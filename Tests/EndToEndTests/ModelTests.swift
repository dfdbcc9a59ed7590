import Foundation
import TestSupport
import Testing

/// The comparison of `Tests/Model`: an independent model of the rules, and a client of the wire in another language.
private enum ModelComparison {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let python =
    ProcessInfo.processInfo.environment["LATCHKEY_PYTHON"] ?? root.appending(path: ".build/python/bin/python3").path

  /// Whether Python with Google's protobuf runtime, and protoc, are there.
  static var isPossible: Bool {
    (try? run(["-c", "import google.protobuf, subprocess; subprocess.run(['protoc', '--version'], check=True)"]).status) == 0
  }

  /// Runs a program of Python's to its end.
  static func run(_ words: [String]) throws -> Program.Finished {
    try Program.run(python, words, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
  }

  static func program(_ name: String) -> String { root.appending(path: "Tests/Model/\(name)").path }
}

@Suite(.enabled(if: ModelComparison.isPossible, "needs protoc, and Python with protobuf (LATCHKEY_PYTHON)"))
struct ModelTests {
  @Test("the server answers random histories as an independent model of the rules does")
  func historiesAgree() throws {
    let finished = try ModelComparison.run([
      ModelComparison.program("compare.py"), "--binary", Executable.path, "--histories", "200", "--seed", "test",
      "--families", "--with-grants",
    ])
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
    #expect(finished.output.contains(" 0 differences"))
  }

  @Test("the model answers the accepted scenarios as they say")
  func scenariosHold() throws {
    // A model has no opinion on requests that no server should take.
    let directory = ModelComparison.root.appending(path: "Tests/Scenarios")
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
      $0.hasSuffix(".json") && $0 != "bad-requests.json"
    }
    let finished = try ModelComparison.run(
      [ModelComparison.program("rehearse.py")] + files.map { directory.appending(path: $0).path })
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
  }
}
