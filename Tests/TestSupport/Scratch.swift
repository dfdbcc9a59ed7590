import Foundation
import Platform

/// A directory of its own for one test, removed with it.
package final class Scratch: Sendable {
  package let url = FileManager.default.temporaryDirectory.appending(path: "latchkey-test-\(UUID().uuidString)")

  package init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  package func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file, and gives its path.
  @discardableResult package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    return path(name)
  }

  /// The text of a file. Foundation would do, if it didn't leak 4 KiB for each empty one.
  package func read(_ name: String) throws -> String {
    let file = try InputFile(path(name))
    var bytes: [UInt8] = []
    while true {
      let more = try file.read(atMost: 1 << 16)
      if more.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }

  /// Waits until a file has a whole line that contains a text; nil where none comes.
  package func awaitedLine(of name: String, containing text: String) throws -> String? {
    for _ in 0..<Patience.milliseconds / 10 {
      // What stands behind the last newline may not be whole yet.
      let lines = try read(name).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.first(where: { $0.contains(text) }) { return String(line) }
      usleep(10_000)
    }
    return nil
  }

  package func names(in directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(directory))
  }
}
