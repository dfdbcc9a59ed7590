import Foundation
import LatchkeyClient
import Platform
import TestSupport
import Testing

/// A `latchkey serve` process on a data directory, listening on a free port; killed when nothing refers to it any more.
final class ServedDirectory {
  let address: String
  private let process: ChildProcess
  private let scratch: Scratch

  /// Starts a server, and waits until it is ready.
  ///
  /// - Parameters:
  ///   - program: another build of `latchkey` than the one that is tested.
  ///   - environment: what the process finds in its environment beside our own.
  init(
    _ data: String, _ options: [String] = [], listen: String = "127.0.0.1:0", program: String = Executable.path,
    environment: [String: String] = [:]
  ) throws {
    scratch = try Scratch()
    let words = ["serve", "--data", data, "--listen", listen, "--loops", "1"] + options
    process = try Program.start(
      program, words, errorsTo: scratch.write("", to: "log"), environment: environment)
    let line = try #require(try process.awaitedLine())
    address = String(try #require(line.wholeMatch(of: /listening on (127\.0\.0\.1:\d+)/)).1)
  }

  var processID: Int32 { process.id }

  func client() throws -> Latchkey { try Latchkey(address: address) }

  /// Runs a command against this server.
  func run(_ words: [String], input: String = "") throws -> Program.Finished {
    try Executable.run(words + ["--connect", address], input: input)
  }

  func send(_ signal: Int32) { process.send(signal) }

  /// Sends a signal and waits for the end; gives the exit status, or 128 and the signal that ended the process.
  func end(by signal: Int32) throws -> Int32 {
    process.send(signal)
    return try Program.end(of: process, Executable.path, ["serve"])
  }

  /// Waits until the log has a line that contains a text; nil where none comes.
  func logLine(containing text: String) throws -> String? {
    try scratch.awaitedLine(of: "log", containing: text)
  }
}

/// Apple's decoded transaction of a non-consumable product.
func transaction(_ id: String, product: String = "lifetime", more: String = "") -> String {
  """
  {"transactionId":"\(id)","productId":"\(product)","purchaseDate":1767225600000,"type":"Non-Consumable",\
  "environment":"Production","signedDate":1767225600000\(more)}
  """
}
