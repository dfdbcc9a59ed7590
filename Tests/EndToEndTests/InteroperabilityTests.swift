import Foundation
import LatchkeyWire
import TestSupport
import Testing

/// Programs of the `Interoperability` folder, which speak through libraries that others wrote.
private enum Interoperability {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let folder = root.appending(path: "Tests/Interoperability")
  static let python =
    ProcessInfo.processInfo.environment["LATCHKEY_PYTHON"] ?? root.appending(path: ".build/python/bin/python3").path
  /// Where Debian puts the sources of its Go libraries.
  static let goLibraries = "/usr/share/gocode"

  static var hasApplesLibrary: Bool {
    (try? Program.run(python, ["-c", "import appstoreserverlibrary"]).status) == 0
  }

  static var hasTTRPC: Bool {
    FileManager.default.fileExists(atPath: "\(goLibraries)/src/github.com/containerd/ttrpc")
      && (try? Program.run("/usr/bin/env", ["go", "version"]).status) == 0
  }
}

@Suite(.enabled(if: Interoperability.hasApplesLibrary, "needs Python with app-store-server-library (LATCHKEY_PYTHON)"))
struct ApplesLibraryTests {
  @Test("every kind of payload that Apple's server library knows is recorded from the command line")
  func payloadsAreRecorded() async throws {
    let script = Interoperability.folder.appending(path: "apple_payloads.py").path
    let printed = try Program.run(Interoperability.python, [script])
    #expect(printed.status == 0, "\(printed.errors)")
    let count = printed.output.split(separator: "\n").count
    let ignored = try #require(Int(printed.errors.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(count > 400)

    let scratch = try Scratch()
    let file = try scratch.write(printed.output, to: "payloads.jsonl")
    let server = try ServedDirectory(scratch.path("data"))
    let recorded = try server.run(["record", file, "--customer", "ana", "--json"])
    #expect(recorded.status == 0, "\(recorded.errors)")
    #expect(try outcomes(of: recorded) == ["APPLIED": count - ignored, "IGNORED": ignored])

    let again = try server.run(["record", file, "--customer", "ana", "--json"])
    #expect(try outcomes(of: again) == ["DUPLICATE": count - ignored, "IGNORED": ignored])
  }

  /// The counts by outcome in the summary of `latchkey record --json`.
  private func outcomes(of recorded: Program.Finished) throws -> [String: Int] {
    let summary = try JSONSerialization.jsonObject(with: Data(recorded.output.utf8)) as? [String: Any]
    return try #require(summary?["outcomes"] as? [String: Int], "\(recorded.output)")
  }
}

@Suite(.enabled(if: Interoperability.hasTTRPC, "needs Go and Debian's golang-github-containerd-ttrpc-dev"))
struct GoClientTests {
  @Test("containerd's ttrpc client records and checks, and gets UNIMPLEMENTED for a method that doesn't exist")
  func ttrpcClientIsServed() throws {
    let scratch = try Scratch()
    let program = scratch.path("interoperability")
    let built = try Program.run(
      "/usr/bin/env", ["--chdir", Interoperability.folder.appending(path: "go").path, "go", "build", "-o", program, "."],
      environment: ["GO111MODULE": "off", "GOPATH": Interoperability.goLibraries, "GOCACHE": scratch.path("cache")])
    #expect(built.status == 0, "\(built.errors)")
    let server = try ServedDirectory(scratch.path("data"))
    let finished = try Program.run(program, [server.address])
    #expect(finished.status == 0, "\(finished.errors)")
    #expect(finished.output.split(separator: "\n").count == 9)
  }
}
