import Foundation
import LatchkeyClient
import Testing

/// A `latchkey serve` process on a data directory, listening on a free port; killed when nothing refers to it any more.
final class ServedDirectory {
  let address: String
  private let process = Process()
  private let errors = Pipe()

  /// Starts a server, and waits until it is ready.
  ///
  /// - Parameters:
  ///   - program: another build of `latchkey` than the one that is tested.
  ///   - environment: what the process finds in its environment beside our own.
  init(
    _ data: String, _ options: [String] = [], listen: String = "127.0.0.1:0", program: URL = Executable.url,
    environment: [String: String] = [:]
  ) throws {
    let output = Pipe()
    process.executableURL = program
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.arguments = ["serve", "--data", data, "--listen", listen, "--loops", "1"] + options
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let line = try #require(output.fileHandleForReading.nextLine())
    address = String(try #require(line.wholeMatch(of: /listening on (127\.0\.0\.1:\d+)/)).1)
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  var processID: Int32 { process.processIdentifier }

  func client() throws -> Latchkey { try Latchkey(address: address) }

  /// Runs a command against this server.
  func run(_ words: [String], input: String = "") throws -> Executable.Finished {
    try Executable.run(words + ["--connect", address], input: input)
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Sends a signal and waits for the end; gives the exit status, or minus the signal that ended the process.
  func end(by signal: Int32) -> Int32 {
    send(signal)
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Reads the log up to a line that contains a text; nil where the log ends first.
  func logLine(containing text: String) -> String? {
    while let line = errors.fileHandleForReading.nextLine() {
      if line.contains(text) { return line }
    }
    return nil
  }
}

/// Apple's decoded transaction of a non-consumable product.
func transaction(_ id: String, product: String = "lifetime", more: String = "") -> String {
  """
  {"transactionId":"\(id)","productId":"\(product)","purchaseDate":1767225600000,"type":"Non-Consumable",\
  "environment":"Production","signedDate":1767225600000\(more)}
  """
}
