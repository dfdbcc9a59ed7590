import AppStore
import Entitlements
import Glibc
import LatchkeyClient
import Platform

/// The server of one rehearsal, a process of its own with a data directory of its own, and the client that speaks to it.
///
/// It is used by one task at a time; process and directory go with it.
final class RehearsedServer {
  private let directory: TemporaryDirectory
  private let settings: Settings
  /// Options of `serve` beside those that it has anyway.
  private let options: [String]
  private var process: ChildProcess?
  /// The client of the running server.
  private(set) var latchkey: Latchkey
  /// Where the running server listens.
  private(set) var address: String

  /// Starts a server with empty data.
  init(settings: Settings, catalog: Catalog, options: [String] = []) async throws {
    self.settings = settings
    self.options = options
    directory = try TemporaryDirectory()
    try directory.write(catalog.json, to: "catalog.json")
    (process, latchkey, address) = try await RehearsedServer.start(directory, settings.words + options)
  }

  private static func start(
    _ directory: TemporaryDirectory, _ options: [String]
  ) async throws -> (ChildProcess, Latchkey, address: String) {
    let log = "\(directory.path)/server.log"
    let words = [
      "serve", "--data=\(directory.path)/data", "--listen=127.0.0.1:0", "--loops=1", "--catalog=\(directory.path)/catalog.json",
    ]
    let process = try ChildProcess(words: words + options, errorsTo: log)
    let line = await blocking { try? process.nextLine() }
    guard let line, let address = line.split(separator: " ").last else {
      let reason = (try? InputFile.text(log))?.split(separator: "\n").last ?? "it says nothing"
      throw Failure("the server didn't start: \(reason)")
    }
    var client = Options()
    client.deadline = .seconds(30)
    client.waitsForServer = false
    client.clientName = "latchkey-rehearse/\(Version.text)"
    return (process, try Latchkey(address: String(address), options: client), String(address))
  }

  /// The running server's process; nil where none runs.
  var processID: Int32? { process?.id }

  /// The processor time that the running server has taken, in nanoseconds; nil where none runs.
  var processorNanoseconds: UInt64? { process?.processorNanoseconds() }

  /// The memory that the running server has in use, and the most since `forgetPeakOfMemory`, in bytes; nil where none runs.
  var residentBytes: (now: UInt64, peak: UInt64)? { process?.residentBytes() }

  /// Begins to note the greatest use of memory anew.
  func forgetPeakOfMemory() throws { try process?.forgetPeak() }

  /// Ends the server, and starts it again on the same directory.
  /// - Throws: `Failure` where it didn't end as it should, or doesn't start.
  func restart(_ ending: Scenario.Ending) async throws {
    try await end(ending)
    (process, latchkey, address) = try await RehearsedServer.start(directory, settings.words + options)
  }

  /// Puts another catalog in place, and has the server take it, whatever it cuts: a scenario says what it wants.
  func replace(catalog: Catalog) async throws {
    try directory.write(catalog.json, to: "catalog.json")
    _ = try await latchkey.reloadConfiguration(force: true, deadline: .never)
  }

  /// Ends the server.
  func end(_ ending: Scenario.Ending) async throws {
    guard let process else { return }
    latchkey.close()
    let status = await blocking { process.end(by: ending == .clean ? SIGTERM : SIGKILL) }
    self.process = nil
    guard ending == .kill || status == 0 else { throw Failure("the server ended with status \(status)") }
  }
}
