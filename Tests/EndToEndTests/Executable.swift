import Foundation
import Testing

/// The built `latchkey` binary, which stands beside the test runner.
enum Executable {
  static let url = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "latchkey")

  /// What a process said and how it ended.
  struct Finished {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs a command to its end.
  static func run(_ words: [String], input: String = "") throws -> Finished {
    let process = Process()
    let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
    process.executableURL = url
    process.arguments = words
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    // What a command says in a test fits into a pipe, so that one can be read after the other.
    let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let complained = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return Finished(status: process.terminationStatus, output: said, errors: complained)
  }

  /// Runs another program to its end; what it prints may be long, and goes through files.
  static func run(
    program: String, _ words: [String], environment: [String: String] = [:], in directory: URL? = nil
  ) throws -> Finished {
    let scratch = try Scratch()
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = words
    if let directory { process.currentDirectoryURL = directory }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (try scratch.write("", to: "output"), try scratch.write("", to: "errors"))
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    process.waitUntilExit()
    return Finished(
      status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
  }
}

/// A directory of its own for one test, removed with it.
final class Scratch {
  let url = FileManager.default.temporaryDirectory.appending(path: "latchkey-test-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file, and gives its path.
  @discardableResult func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    return path(name)
  }

  func names(in directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(directory))
  }
}

extension FileHandle {
  /// Waits for the next whole line; nil where there is none.
  func nextLine() -> String? {
    var bytes = Data()
    while let byte = try? read(upToCount: 1), !byte.isEmpty {
      if byte.first == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes += byte
    }
    return nil
  }
}
