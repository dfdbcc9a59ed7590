import Foundation
import Platform

/// How tests run programs, the built `latchkey` and others.
///
/// What a program says goes through files: a pipe that is full, or that another program inherited, would keep a test waiting.
package enum Program {
  /// What a program said and how it ended.
  package struct Finished {
    /// Its exit status, or 128 and the signal that ended it.
    package let status: Int32
    package let output: String
    package let errors: String
  }

  /// A program that took longer than it may.
  package struct Hung: Error {
    package let command: String
  }

  /// Runs a program to its end.
  /// - Parameters:
  ///   - path: its executable.
  ///   - input: what it reads from its standard input.
  ///   - environment: what it finds in its environment beside our own.
  package static func run(
    _ path: String, _ words: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> Finished {
    let scratch = try Scratch()
    let process = try start(
      path, words, input: scratch.write(input, to: "input"), outputTo: scratch.path("output"), errorsTo: scratch.path("errors"),
      environment: environment)
    let status = try end(of: process, path, words)
    return Finished(
      status: status, output: try scratch.read("output"),
      errors: try scratch.read("errors"))
  }

  /// Starts a program, which is killed when nothing refers to it any more; its lines are read where no file takes its output.
  package static func start(
    _ path: String, _ words: [String], input: String = "/dev/null", outputTo output: String? = nil,
    errorsTo errors: String = "/dev/null", environment: [String: String] = [:]
  ) throws -> ChildProcess {
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    return try ChildProcess(
      path, words: words, environment: variables.map { "\($0)=\($1)" }, input: input, outputTo: output, errorsTo: errors)
  }

  /// Waits for the end of a program, and gives its status.
  package static func end(of process: ChildProcess, _ path: String, _ words: [String]) throws -> Int32 {
    guard let status = process.wait(within: Patience.milliseconds) else {
      throw Hung(command: "\(path) \(words.joined(separator: " "))")
    }
    return status
  }
}

extension ChildProcess {
  /// Waits for its next line; nil where there is none.
  package func awaitedLine() throws -> String? { try nextLine(within: Patience.milliseconds) }
}
